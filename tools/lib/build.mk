# Sources of librvtrace.
lib_src += $(wildcard tools/lib/*.c)
