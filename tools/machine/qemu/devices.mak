# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of the machine, beside what the virt board selects itself
CONFIG_RISCV_VIRT=y
CONFIG_VIRTIO=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_9P=y
