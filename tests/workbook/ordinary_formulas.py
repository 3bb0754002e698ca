"""Ordinary functions of spreadsheets in many forms, over one small sheet of mixed cells (`CELLS`, from A1 on)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

CELLS: list[list[Any]] = [
    ["name", "n", "day", "text", "odd", "flag"],
    ["apple", 3, datetime(2026, 10, 27), "12", "=1/0", True],
    ["Banana", -1.5, datetime(2026, 1, 31), "x", "=NA()", False],
    ["apple pie", 2.5, datetime(2024, 2, 29, 13, 30), None, 5, True],
    ["pear", 0, None, " 7 ", None, None],
    ["éclair", 1e10, datetime(1999, 12, 31), "1,234.5", 2, "TRUE"],
    ["苹果", 4, datetime(2026, 12, 1), "1e2", "abc", 1],
]

COUNTING = """
COUNT(E2:E7) | COUNT(1/0,2) | COUNT(2,"3","x",TRUE) | COUNT(A2:F7) | COUNT(IF(B2>1,B2,1/0),E2:E7) | COUNTA(E2:E7)
COUNTA(A:A) | COUNTBLANK(A2:F7) | COUNTIF(A2:A7,"app*") | COUNTIF(A2:A7,"") | COUNTIF(B2:B7,">=2.5")
COUNTIF(A2:A7,"APPLE") | COUNTIF(A2:A7,"?ear") | COUNTIF(B2:B7,"<>0") | COUNTIF(B2:B7,"=3") | COUNTIF(B2:B7,3)
COUNTIF(C2:C7,">="&DATE(2026,1,31)) | COUNTIF(A2:A7,"<>") | COUNTIF(A2:A7,"~*") | SUMIF(A2:A7,"a*",B2:B7)
SUMIF(B2:B7,">0") | SUMIF(B2:B7,"<0",B2) | SUMIFS(B2:B7,A2:A7,"<>apple",B2:B7,">0") | SUMIFS(B2:B7,A2:A7,A2)
AVERAGEIF(B2:B7,">0") | AVERAGEIFS(B2:B7,B2:B7,">0",B2:B7,"<5") | AVERAGEIF(B2:B7,">1e99") | AVERAGE(B2:B7)
AVERAGE(D2:D7) | AVERAGEA(B2:B7) | SUM(D2:D7) | SUM(B2:B4,5,"2") | SUM(E2:E3) | SUM(A1:F1) | SUM(B:B)
SUMPRODUCT((A2:A7="apple")*B2:B7) | SUMPRODUCT(--(B2:B7>0),B2:B7) | SUMPRODUCT(B2:B4,B5:B7) | SUMSQ(1,2,3)
MAX(B2:B7) | MIN(B2:B7) | MAX(A2:A7) | MINIFS(B2:B7,B2:B7,">0") | MAXIFS(B2:B7,A2:A7,"a*") | MEDIAN(B2:B7)
COUNTIFS(A2:A7,"apple*",B2:B7,">2.6") | SUBTOTAL(9,B2:B7) | SUBTOTAL(109,B2:B7) | SUBTOTAL(3,A2:A7)
SUBTOTAL(1,B2:B4)
AGGREGATE(9,6,E2:E7) | AGGREGATE(4,6,B2:B7) | AGGREGATE(14,6,B2:B7,1) | PRODUCT(B2:B4) | SUMX2MY2({1,2},{3,4})
SUMXMY2({1,2},{3,4}) | SUMX2PY2({1,2},{3,4}) | DSUM(A1:B7,"n",A1:A2) | DCOUNT(A1:B7,"n",A1:A2) | DMAX(A1:B7,2,A1:A2)
DGET(A1:B7,"n",A1:A2) | DAVERAGE(A1:B7,"n",A1:A2)
"""
STATISTICS = """
STDEV(B2:B4) | STDEV.S(B2:B4) | STDEV.P(B2:B4) | STDEVP(B2:B4) | VAR(B2:B4) | VAR.P(B2:B4) | VAR.S(B2:B4)
PERCENTILE(B2:B7,0.9) | PERCENTILE.INC(B2:B4,0.25) | PERCENTILE.EXC(B2:B7,0.5) | QUARTILE(B2:B7,1)
QUARTILE.EXC(B2:B7,1)
PERCENTRANK(B2:B7,3) | RANK(B2,B2:B7) | RANK(B2,B2:B7,1) | RANK.AVG(B2,B2:B7) | LARGE(B2:B7,2) | SMALL(B2:B7,2)
LARGE(B2:B7,9) | MODE(1,2,2,3) | MODE(1,2,3) | GEOMEAN(1,4) | HARMEAN(1,2,4) | TRIMMEAN({1,2,3,100},0.5)
AVEDEV(1,2,6)
DEVSQ(1,2,6) | SKEW(1,2,6) | KURT(1,2,3,9) | CORREL({1,2,3},{2,4,7}) | PEARSON({1,2,3},{2,4,7}) | RSQ({1,2,3},{2,4,7})
COVAR({1,2,3},{2,4,7}) | COVARIANCE.S({1,2,3},{2,4,7}) | SLOPE({1,2,3},{2,4,6}) | INTERCEPT({1,2,3},{2,4,7})
FORECAST(4,{1,2,3},{2,4,6}) | TREND({1,2,3},{1,2,3},4) | GROWTH({1,2,4},{1,2,3},4) | STEYX({1,2,3},{2,4,7})
NORM.DIST(1,0,1,TRUE) | NORMDIST(1,0,1,FALSE) | NORMSDIST(1) | NORM.S.INV(0.95) | NORMINV(0.9,1,2)
NORM.S.DIST(1,TRUE)
BINOM.DIST(2,5,0.5,FALSE) | BINOMDIST(2,5,0.5,TRUE) | POISSON.DIST(2,3,TRUE) | POISSON(2,3,FALSE)
EXPON.DIST(1,2,TRUE)
T.DIST(1,5,TRUE) | TDIST(1,5,2) | T.INV(0.9,5) | TINV(0.1,5) | CHISQ.DIST(1,2,TRUE) | CHIDIST(1,2) | CHIINV(0.1,2)
F.DIST(1,2,3,TRUE) | FDIST(1,2,3) | GAMMALN(4) | GAMMA.DIST(1,2,3,TRUE) | BETA.DIST(0.4,2,3,TRUE)
WEIBULL(1,2,3,TRUE)
LOGNORM.DIST(2,0,1,TRUE) | HYPGEOM.DIST(1,4,8,20,FALSE) | NEGBINOM.DIST(2,3,0.5,FALSE) | CONFIDENCE(0.05,1,50)
STANDARDIZE(3,1,2) | FISHER(0.5) | FISHERINV(0.5) | PROB({1,2},{0.5,0.5},1) | PERMUT(5,2)
SUM(FREQUENCY({1,2,3,4},{2}))
"""
ROUNDING = """
ROUND(2.5,0) | ROUND(-2.5,0) | ROUND(1.005,2) | ROUND(2.675,2) | ROUND(0.285,2) | ROUND(1234.5,-2) | ROUND("2.5",0)
ROUND(1.15,1) | ROUND(-1.45,1) | ROUND(5015,-1) | ROUNDUP(2.1,0) | ROUNDUP(-2.1,0) | ROUNDUP(4.35*100,0)
ROUNDUP(1.1*3,1)
ROUNDDOWN(-2.9,0) | ROUNDDOWN(4.35*100,0) | ROUNDDOWN(1234.5,-2) | MROUND(7.3,0.5) | MROUND(-7.3,-0.5)
MROUND(1.05,0.1)
CEILING(2.1,0.5) | CEILING(-2.1,-1) | CEILING(-2.1,1) | CEILING(2.1,0) | CEILING(0,-1) | CEILING(-2.1,-0.5)
CEILING(4.35*100,1)
CEILING(0.1*3,0.1) | CEILING(6,3) | CEILING(1.1,0.1) | CEILING.MATH(-2.1) | CEILING.MATH(-2.1,1,1)
CEILING.MATH(2.1,2)
CEILING.PRECISE(-2.1,1) | ISO.CEILING(-2.1) | FLOOR(2.9,1) | FLOOR(-2.9,1) | FLOOR(-2.9,-1) | FLOOR(0.3,0.1)
FLOOR(4.6,0.2)
FLOOR(-2.9,-0.5) | FLOOR(2.9,0.5) | FLOOR.MATH(-2.9) | FLOOR.MATH(-2.9,1,1) | FLOOR.PRECISE(-2.9) | INT(-2.5)
INT(2.5)
INT(0.7*10) | INT(4.35*100) | TRUNC(-2.57,1) | TRUNC(2.99) | TRUNC(1234.5,-2) | MOD(-3,2) | MOD(3,-2) | MOD(5.5,2)
MOD(10,0) | MOD(1,0.1) | MOD(0.3,0.1) | QUOTIENT(-7,2) | QUOTIENT(7,0) | EVEN(1.5) | EVEN(-1.5) | ODD(2) | ODD(-2.5)
SIGN(-2)
ABS(-3) | ABS("-3") | GCD(12,18) | LCM(4,6) | FACT(5) | FACT(5.9) | FACT(-1) | FACTDOUBLE(7) | COMBIN(5,2)
COMBINA(4,2)
MULTINOMIAL(2,3) | SQRT(2) | SQRT(-1) | SQRTPI(2) | EXP(1) | LN(10) | LN(0) | LOG(8,2) | LOG(100) | LOG10(1000)
POWER(2,0.5)
POWER(0,0) | POWER(-8,1/3) | 0^0 | PI() | SIN(1) | COS(1) | TAN(1) | ASIN(0.5) | ACOS(0.5) | ATAN(1) | ATAN2(1,2)
ATAN2(0,0)
SINH(1) | COSH(1) | TANH(1) | ASINH(1) | ACOSH(2) | ATANH(0.5) | DEGREES(1) | RADIANS(180) | SEC(1) | CSC(1) | COT(1)
SERIESSUM(2,0,1,{1,1,1}) | RANDBETWEEN(3,3) | ROMAN(14) | ARABIC("XIV") | BASE(7,2) | DECIMAL("111",2)
MDETERM({1,2;3,4})
SUM(MMULT({1,2},{3;4})) | SUM(TRANSPOSE({1,2,3})) | INDEX(MINVERSE({1,2;3,4}),1,1) | SUM(MUNIT(3)) | DELTA(1,1)
GESTEP(5,4)
"""
OPERATORS = """
-2^2 | 2^-1 | 2^3^2 | -B3 | 10% | 5%^2 | -5% | 1=1 | "a"="A" | "a"<"B" | "a"<>"b" | "Z"<"a" | ""=E5 | 0=E5
FALSE=E5 | "1"=1
1<"a" | "z"<TRUE | TRUE>99 | "10"+5 | "1/2/2026"+0 | "2026-01-02"+0 | "12%"*1 | " 7 "*1 | "1e2"*1 | "1,000"*1
"1,234.5"+1
D2*1 | D5*1 | D6*1 | D7*1 | D2+D7 | -D6 | D6/2 | 2^D2 | D6&"x" | SUM(D6,1) | SUM(D6*1,1) | ROUND(D6,0) | IF(D6>1,D6,0)
E4+E5 | E7+1 | A2+1 | TRUE+1 | TRUE*TRUE | 1&2 | 1/3&"" | 0.1+0.2&"" | 1e20&"" | 1e15&"" | 0.000001&""
123456789.123456789&""
TRUE&"" | E5&"x" | -0&"" | 1e-7&"" | 1E+308*10 | 1/0 | 10^15+0.3 | (0.1+0.2)=0.3 | 0.1+0.2=0.3 | 0.1*3=0.3
(0.1+0.2)>0.3
0.1+0.2<>0.3 | 0.1+0.2<=0.3 | 0.3>=0.1*3 | 1.1-1=0.1 | 1/3*3=1 | IF(0.1*3=0.3,"eq","ne") | B2*0.1=0.3 | 0.1+0.2-0.3
SUMPRODUCT((B2:B4*0.1=0.3)*1) | 22.26-21.29=0.97 | AND(0.1*3=0.3,1=1) | (43.1-43.2)+1=0.9 | 1*(0.5-0.4-0.1)=0
"""
LOGIC = """
IF(E5,1,2) | IF("",1,2) | IF(B5,"t","f") | IF(B2>2,"y") | IF(B2<2,"y") | IF(B2>2,,1) | AND(TRUE,B2:B4)
AND(B2>1,B3>1)
OR(FALSE,"x"="y") | OR(B2:B4) | AND(A2:A3) | XOR(TRUE,TRUE) | XOR(TRUE,FALSE,FALSE) | NOT(0) | NOT("x") | TRUE()
FALSE()
IFS(B2>5,"a",B2>2,"b") | IFS(B2>5,"a") | SWITCH(B2,3,"three","other") | SWITCH(9,3,"three","other")
SWITCH(9,3,"three")
CHOOSE(2,"a","b") | CHOOSE(3,"a","b") | CHOOSE(2.9,"a","b") | IFERROR(E2,"err") | IFERROR(1/0,) | IFNA(E3,"na")
IFNA(E2,"na")
ISBLANK(E5) | ISBLANK(A2) | ISNUMBER("1") | ISNUMBER(B2) | ISTEXT(A2) | ISNONTEXT(E5) | ISERROR(E2) | ISNA(E3)
ISERR(E3)
ISLOGICAL(F2) | ISEVEN(3) | ISODD(-3) | ISREF(A1) | ISFORMULA(E2) | ERROR.TYPE(E2) | ERROR.TYPE(E3) | ERROR.TYPE(1)
TYPE(A2)
TYPE(1) | TYPE(TRUE) | TYPE({1,2}) | N("x") | N(TRUE) | N(B2) | N(C2) | T(5) | T("x") | NA()
"""
LOOKUPS = """
VLOOKUP("apple",A2:B7,2,FALSE) | VLOOKUP("APPLE",A2:B7,2,FALSE) | VLOOKUP("app*e",A2:B7,2,0)
VLOOKUP("zz",A2:B7,2,FALSE)
VLOOKUP(3.5,{1,"a";3,"b";5,"c"},2) | VLOOKUP(0.5,{1,"a";3,"b"},2) | VLOOKUP(5,{1,"a";3,"b"},2) | VLOOKUP(1,{1,"a"},3)
VLOOKUP("12",D2:E7,2,FALSE) | VLOOKUP(12,D2:E7,2,FALSE) | HLOOKUP("n",A1:B3,3,0) | HLOOKUP("zz",A1:B3,3,0)
LOOKUP(3.5,{1,3,5},{"a","b","c"}) | LOOKUP(0,{1,3,5}) | LOOKUP(2,1/(B2:B7>2),B2:B7) | INDEX(A2:B7,3,2)
INDEX(A2:A7,9)
INDEX(B2:B7,2) | SUM(INDEX(B2:B7,0)) | SUM(INDEX(A2:B7,0,2)) | MATCH("banana",A2:A7,0) | MATCH("b*",A2:A7,0)
MATCH(4,{1,3,5},1)
MATCH(4,{5,3,1},-1) | MATCH(0,{1,3,5},1) | MATCH("x",A2:A7,0) | MATCH(TRUE,F2:F7,0)
INDEX(B2:B7,MATCH("pear",A2:A7,0))
ROW() | COLUMN(C1) | ROW(A5) | COLUMN() | ROWS(A1:A9) | COLUMNS(A1:C9) | ROWS({1;2}) | ADDRESS(2,3) | ADDRESS(2,3,4)
ADDRESS(2,3,1,TRUE,"S 1") | AREAS(A1:B2) | SUM(A2:INDEX(B2:B7,3)) | OFFSET(A1,1,1) | SUM(OFFSET(B1,1,0,3,1))
INDIRECT("B2")
SUM(INDIRECT("B2:B4")) | SUM(B2:B3 B3:B4) | SUM((B2:B3,B4:B5)) | HYPERLINK("x","label") | MATCH(0.3,{0.1,0.2,0.3},0)
"""
TEXTS = """
LEN("苹果é") | LEN(12.50) | LEN(E5) | LEFT("abc",2) | LEFT("abc") | LEFT("abc",9) | LEFT("abc",-1) | LEFT(123,2)
RIGHT(123,2)
RIGHT("abc",0) | MID("abcdef",3,2) | MID("abc",0,1) | MID("abc",9,1) | FIND("b","abc") | FIND("z","abc")
FIND("","abc")
FIND("B","abc") | SEARCH("B?","abc") | SEARCH("B","abc") | SEARCH("~?","a?c") | SUBSTITUTE("aaa","a","b",2)
SUBSTITUTE("aaa","a","b")
SUBSTITUTE("abc","","x") | REPLACE("abcdef",2,3,"X") | TRIM("  a   b ") | CLEAN("a"&CHAR(7)&"b") | UPPER("abcé")
LOWER("ABCÉ")
PROPER("hello wORLD o'neil") | PROPER("2nd day") | REPT("ab",3) | REPT("ab",0) | REPT("ab",-1) | EXACT("a","A")
CONCATENATE("a",1)
CONCAT(A2:B3) | TEXTJOIN(",",TRUE,A2:A7) | TEXTJOIN("-",FALSE,E4:E5) | A2&" "&B2 | CHAR(65) | CHAR(0) | CODE("A")
CODE("")
UNICHAR(33529) | UNICODE("苹") | VALUE("12%") | VALUE("x") | VALUE("2026-10-27") | VALUE("1,234.5") | VALUE("1,234")
VALUE("-1,234,567")
VALUE("1,23") | VALUE("$5") | VALUE("(5)") | VALUE("") | VALUE(" 7 ") | VALUE("1e2") | VALUE("13:30") | VALUE(TRUE)
VALUE(5) | VALUE("1.5.2")
VALUE("1,234%") | VALUE("+5") | VALUE(".5") | VALUE("5.") | VALUE("1 1/2")
NUMBERVALUE("1.234,5",",",".") | NUMBERVALUE("1 234") | FIXED(1234.567,1) | FIXED(1234.567,1,TRUE)
FIXED(-1234.5,-2) | DOLLAR(5)
DOLLAR(-1234.567,1)
"""
FORMATS = """
TEXT(1234.567,"#,##0.00") | TEXT(0.256,"0.0%") | TEXT(0,"#") | TEXT(0,"0.00") | TEXT(1234.5,"0") | TEXT(-5,"0;(0)")
TEXT(-5,"0.0")
TEXT(0,"0;-0;zero") | TEXT(1234567,"0,") | TEXT(1234567,"#,##0,") | TEXT(1234567,"0.0,,") | TEXT("abc","0")
TEXT("abc","@") | TEXT("12","0.0")
TEXT(5,"00000") | TEXT(5,"0 ""cards"" ") | TEXT(5,"\\x0") | TEXT(1234.5,"$#,##0.00") | TEXT(1.5,"# ?/?")
TEXT(1.25,"?/?") | TEXT(1.5,"0.??")
TEXT(1000000,"0.00E+00") | TEXT(0.00012,"0.0E+0") | TEXT(12345,"##0.0E+0") | TEXT(1234.5,"General")
TEXT(0.1,"General") | TEXT(TRUE,"0")
TEXT(C2,"yyyy-mm-dd") | TEXT(C2,"d/m/yy") | TEXT(C4,"d/m/yy h:mm") | TEXT(C4,"h:mm AM/PM") | TEXT(C4,"hh:mm:ss")
TEXT(C2,"mmm d, yyyy")
TEXT(C2,"mmmm") | TEXT(C2,"dddd") | TEXT(C2,"ddd") | TEXT(C2,"mm/dd/yyyy") | TEXT(0.5,"h:mm") | TEXT(1.5,"[h]:mm")
TEXT(C4,"m") | TEXT(C4,"mm:ss")
TEXT(C2,"yyyymmdd") | TEXT(C2,"yy") | TEXT(C2,"mmm-yy") | TEXT(C2,"yyyy""年""m""月"" ") | TEXT(5,"")
TEXT(5,"[Red]0") | TEXT(-5,"[Red]-0") | TEXT(5,"0_)")
TEXT(5,"* 0") | TEXT(12.3456,"0.0#") | TEXT(12,"0.0#") | TEXT(12,"#.##") | TEXT(1234,"000-000") | TEXT(0.5,"0%")
TEXT(0.005,"0.00%") | TEXT(5,"[>3]""big"";0")
TEXT(C2,"[$-409]mmmm") | TEXT(C2,"aaaa") | TEXT(C2,"q") | TEXT(1e10,"0") | TEXT(-0.4,"0") | TEXT(2.5,"0")
TEXT(B2,"0.00")&" x" | TEXT(E5,"0")
"""
DAYS = """
DATE(2026,14,35) | DATE(2026,1,1) | DATE(99,1,1) | DATE(2026,2,0) | DATE(2026,-1,1) | DATE(2026.9,1,1) | YEAR(C2)
MONTH(C4) | DAY(C4) | HOUR(C4)
MINUTE(C4) | SECOND(0.5) | YEAR("2026-10-27") | WEEKDAY(C2) | WEEKDAY(C2,2) | WEEKDAY(C2,3) | WEEKNUM(C2)
WEEKNUM(C2,2) | WEEKNUM(C2,21) | ISOWEEKNUM(C2)
EDATE(C3,1) | EDATE(C3,-2) | EDATE(DATE(2024,2,29),12) | EOMONTH(C3,1) | EOMONTH(C3,0) | EOMONTH(C3,-1)
DATEDIF(C4,C2,"y") | DATEDIF(C4,C2,"m")
DATEDIF(C4,C2,"d") | DATEDIF(C4,C2,"md") | DATEDIF(C4,C2,"ym") | DATEDIF(C4,C2,"yd") | DATEDIF(C2,C4,"d")
DAYS(C2,C3) | DAYS360(C3,C2) | DAYS360(C3,C2,TRUE)
YEARFRAC(C3,C2) | YEARFRAC(C3,C2,1) | YEARFRAC(C3,C2,2) | YEARFRAC(C3,C2,3) | YEARFRAC(C3,C2,4) | NETWORKDAYS(C3,C2)
NETWORKDAYS(C2,C3)
NETWORKDAYS(C3,C2,C3) | NETWORKDAYS.INTL(C3,C2,11) | WORKDAY(C3,10) | WORKDAY(C3,-10) | WORKDAY.INTL(C3,10,7)
TIME(25,61,0) | TIME(1,30,15)
DATEVALUE("2026-10-27") | DATEVALUE("10/27/2026") | DATEVALUE("27-Oct-2026") | TIMEVALUE("13:30")
TIMEVALUE("1:30 PM") | DATE(1900,3,1)
N(C2-C3) | C2+0.5 | C2>C3 | YEAR(0) | DAY(60) | EDATE("2026-01-31",1) | EASTERSUNDAY(2026)
"""
MONEY = """
PMT(0.05/12,60,10000) | PMT(0,60,10000) | PMT(0.05/12,60,10000,0,1) | PMT(0.05/12,60,-10000,500) | PV(0.05,10,-100)
PV(0,10,-100) | PV(0.05,10,-100,50,1)
FV(0.05,10,-100) | FV(0,10,-100) | FV(0.05,10,-100,-500,1) | NPV(0.1,-100,50,60,70) | NPV(0.1,B2:B4)
NPV(0.1,D2:D4,5) | IRR({-100;50;60;70}) | IRR({-100,50,60,70},0.2)
IRR({1,2}) | MIRR({-100,50,60,70},0.1,0.12) | RATE(12,-100,1000) | RATE(12,-100,1000,50,1) | NPER(0.01,-100,1000)
NPER(0,-100,1000) | XNPV(0.1,{-100,50,60},{45000,45365,45730})
XIRR({-100,50,70},{45000,45365,45730}) | SLN(1000,100,5) | DB(1000,100,5,1) | DB(1000,100,5,2,6) | DDB(1000,100,5,1)
DDB(1000,100,5,5) | SYD(1000,100,5,1) | VDB(1000,100,5,0,1)
IPMT(0.05/12,1,60,10000) | PPMT(0.05/12,1,60,10000) | CUMIPMT(0.05/12,60,10000,1,12,0)
CUMPRINC(0.05/12,60,10000,1,12,0) | EFFECT(0.05,12) | NOMINAL(0.05,12)
DISC(DATE(2026,1,1),DATE(2026,7,1),97,100) | INTRATE(DATE(2026,1,1),DATE(2026,7,1),97,100)
RECEIVED(DATE(2026,1,1),DATE(2026,7,1),97,0.05)
PRICE(DATE(2026,1,1),DATE(2030,1,1),0.05,0.04,100,2) | YIELD(DATE(2026,1,1),DATE(2030,1,1),0.05,98,100,2)
DURATION(DATE(2026,1,1),DATE(2030,1,1),0.05,0.04,2)
ACCRINT(DATE(2026,1,1),DATE(2026,4,1),DATE(2026,7,1),0.05,1000,2) | RRI(5,100,150) | PDURATION(0.05,100,150)
ISPMT(0.05,1,5,1000) | DOLLARDE(1.02,16) | DOLLARFR(1.125,16)
TBILLPRICE(DATE(2026,1,1),DATE(2026,6,1),0.05) | FVSCHEDULE(100,{0.1,0.2}) | COUPNUM(DATE(2026,1,1),DATE(2030,1,1),2)
"""
ENGINEERING = """
HEX2DEC("FF") | HEX2BIN("F") | DEC2BIN(5) | DEC2HEX(255,4) | DEC2OCT(8) | BIN2DEC("101") | BIN2HEX("1111")
OCT2DEC("17") | BITAND(5,3) | BITOR(5,3) | BITXOR(5,3)
BITLSHIFT(1,3) | BITRSHIFT(8,2) | CONVERT(1,"km","m") | CONVERT(1,"lbm","kg") | CONVERT(68,"F","C")
CONVERT(1,"hr","mn") | CONVERT(1,"Gibyte","Mibyte") | CONVERT(1,"m","s") | ERF(1) | ERFC(1)
COMPLEX(1,2) | IMABS("3+4i") | IMSUM("1+i","2-i") | BESSELJ(1,0)
CELL("row",A5) | CELL("filename") | CELL("address",A5) | CELL("contents",A2) | CELL("type",A2) | CELL("format",B2)
INFO("numfile") | SHEET() | SHEETS()
"""
SUBJECTS = {"counting": COUNTING, "statistics": STATISTICS, "rounding": ROUNDING, "operators": OPERATORS, "logic": LOGIC,
            "look-ups": LOOKUPS, "texts": TEXTS, "formats": FORMATS, "days": DAYS, "money": MONEY,
            "engineering": ENGINEERING}  # fmt: skip

# how files spell functions that are newer than their format
NEW = frozenset((
    "AGGREGATE", "ARABIC", "BASE", "BETA.DIST", "BINOM.DIST", "BITAND", "BITLSHIFT", "BITOR", "BITRSHIFT",
    "BITXOR", "CEILING.MATH", "CEILING.PRECISE", "CHISQ.DIST", "COMBINA", "CONCAT", "COT", "COVARIANCE.S", "CSC",
    "DAYS", "DECIMAL", "EXPON.DIST", "F.DIST", "FLOOR.MATH", "FLOOR.PRECISE", "GAMMA.DIST", "HYPGEOM.DIST", "IFNA",
    "IFS", "ISFORMULA", "ISO.CEILING", "ISOWEEKNUM", "LOGNORM.DIST", "MAXIFS", "MINIFS", "MUNIT", "NEGBINOM.DIST",
    "NORM.DIST", "NORM.S.DIST", "NORM.S.INV", "NUMBERVALUE", "PDURATION", "PERCENTILE.EXC", "PERCENTILE.INC",
    "POISSON.DIST", "QUARTILE.EXC", "RANK.AVG", "RRI", "SEC", "SHEET", "SHEETS", "STDEV.P", "STDEV.S", "SWITCH",
    "T.DIST", "T.INV", "TEXTJOIN", "UNICHAR", "UNICODE", "VAR.P", "VAR.S", "XOR",
))  # fmt: skip

# what Excel gives where LibreOffice gives something else, as Microsoft describes the functions
OTHER_IN_LIBREOFFICE: dict[str, Any] = {
    "COUNT(A2:F7)": 14,  # TRUE in a cell is no number
    'SUM(B2:B4,5,"2")': 11, 'TRUE&""': "TRUE", '"z"<TRUE': True, "TRUE>99": True, "TYPE(TRUE)": 4, "VALUE(TRUE)": "#VALUE!",
    "22.26-21.29=0.97": False, "(43.1-43.2)+1=0.9": False, "1*(0.5-0.4-0.1)=0": False,  # the 15th digit differs
    "INT(4.35*100)": 434, "POWER(-8,1/3)": "#NUM!", "ATAN2(0,0)": "#DIV/0!", "ISO.CEILING(-2.1)": -2,
    "YEAR(0)": 1900, "DAY(60)": 29,  # Excel's 1900 is a leap year
    'FIND("","abc")': 1, "CHAR(0)": "#VALUE!", 'CODE("")': "#VALUE!", "DOLLAR(-1234.567,1)": "($1,234.6)",
    'TEXT(12,"#.##")': "12.",
    # errors that LibreOffice writes into files as #VALUE!, or as another
    "LARGE(B2:B7,9)": "#NUM!", "MODE(1,2,3)": "#N/A", "QUOTIENT(7,0)": "#DIV/0!", "FACT(-1)": "#NUM!", "SQRT(-1)": "#NUM!",
    "LN(0)": "#NUM!", 'VLOOKUP(1,{1,"a"},3)': "#REF!", "INDEX(A2:A7,9)": "#REF!", 'DATEDIF(C2,C4,"d")': "#NUM!",
    "IRR({1,2})": "#NUM!",
}  # fmt: skip

# of these the engine knows nothing, or nothing certain
NOT_CALCULATED = frozenset(re.split(r" \| |\n", """
AGGREGATE(14,6,B2:B7,1) | PROB({1,2},{0.5,0.5},1) | MOD(1,0.1) | MOD(0.3,0.1) | MDETERM({1,2;3,4})
SUM(MMULT({1,2},{3;4}))
INDEX(MINVERSE({1,2;3,4}),1,1) | SUM(MUNIT(3)) | 1e20&"" | 1e15&"" | 1e-7&"" | ISFORMULA(E2) | AREAS(A1:B2)
SUM(B2:B3 B3:B4) | SUM((B2:B3,B4:B5)) | VALUE("1,23") | VALUE("$5") | VALUE("(5)") | VALUE("1.5.2") | VALUE("1 1/2")
TEXT(0,"0;-0;zero") | TEXT(1.5,"# ?/?") | TEXT(1.25,"?/?") | TEXT(1.5,"0.??") | TEXT(1000000,"0.00E+00")
TEXT(0.00012,"0.0E+0")
TEXT(12345,"##0.0E+0") | TEXT(5,"[Red]0") | TEXT(-5,"[Red]-0") | TEXT(5,"0_)") | TEXT(5,"* 0") | TEXT(1234,"000-000")
TEXT(5,"[>3]""big"";0") | TEXT(C2,"aaaa") | TEXT(C2,"q") | DATEDIF(C4,C2,"yd") | EASTERSUNDAY(2026)
VDB(1000,100,5,0,1)
DISC(DATE(2026,1,1),DATE(2026,7,1),97,100) | INTRATE(DATE(2026,1,1),DATE(2026,7,1),97,100)
RECEIVED(DATE(2026,1,1),DATE(2026,7,1),97,0.05) | DURATION(DATE(2026,1,1),DATE(2030,1,1),0.05,0.04,2)
FVSCHEDULE(100,{0.1,0.2}) | COUPNUM(DATE(2026,1,1),DATE(2030,1,1),2) | CONVERT(1,"km","m") | CONVERT(1,"lbm","kg")
CONVERT(68,"F","C") | CONVERT(1,"hr","mn") | CONVERT(1,"Gibyte","Mibyte") | CONVERT(1,"m","s") | CELL("filename")
CELL("format",B2) | INFO("numfile")
""".strip()))


def formulas() -> list[str]:
    """All of them, as a person types them without "="."""
    return [one for text in SUBJECTS.values() for one in re.split(r" \| |\n", text.strip())]


def in_a_file(formula: str) -> str:
    """
    >>> in_a_file("DAYS(1,IFS(2))")
    '=_xlfn.DAYS(1,_xlfn.IFS(2))'
    """
    return "=" + re.sub(
        r"(?<![\w.])([A-Z][A-Z0-9.]+)\(", lambda call: f"{'_xlfn.' * (call[1] in NEW)}{call[0]}", formula)
