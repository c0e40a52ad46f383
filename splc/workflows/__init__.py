"""One verb on one project: a frozen request in, a result with notes out.

Each module has a `Request`, a `Result` and `run(request)`. Nothing here prints or parses a command line: the command
line, studies and reports call the same functions. Scripts may call them too:

    from splc.workflows import describe

    result = describe.run(describe.Request(system="system.xml"))
"""

from splc.lazy import attach_stub

attach_stub(__name__)
