"""What follows from the cards and costs of a budget: scenarios' drivers, comparisons, rent or buy, growth, periods, risk."""
