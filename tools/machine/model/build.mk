# Register model of the trace hardware.
model_src += $(wildcard tools/machine/model/*.c)
