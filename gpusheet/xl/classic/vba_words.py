"""Words that VBA keeps for itself: no function and no argument can be named like one."""

from __future__ import annotations

_WORDS = """
    abs addressof alias and any append array as attribute base binary boolean byref byte byval call case cbool cbyte ccur
    cdate cdbl cdec cdecl cint circle clng clnglng clngptr close compare const csng cstr currency cvar cverr date debug
    decimal declare defbool defbyte defcur defdate defdbl defdec defint deflng defobj defsng defstr defvar dim do double
    doevents each else elseif empty end endif enum eqv erase error event exit explicit false fix for friend function get
    global gosub goto if imp implements in inputb input int integer is lbound len lenb let lib like line linput local lock
    long longlong longptr loop lset me midb mid mod module name new next not nothing null object on open option optional or
    output paramarray preserve print private property pset ptrsafe public put raiseevent random read redim rem reset resume
    return rset scale seek select set sgn shared single spc static step stop strcomp string stringb sub tab text then time
    to true type typeof ubound unlock until variant vb_name wend while width with withevents write xor caller
"""
RESERVED = frozenset(_WORDS.split())
