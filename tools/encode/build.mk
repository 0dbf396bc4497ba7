# Sources of the encoders.
encode_src += $(wildcard tools/encode/*.c)
