# Read by ctest before it runs a test: all of them check, behind every pass, what holds of the AST.
set(ENV{TANGRAM_VERIFY_PROPERTIES} 1)
