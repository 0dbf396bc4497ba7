/* SPDX-License-Identifier: GPL-2.0 */
/* What the device tree says of an encoder in nodes below its own. */
#ifndef RVTRACED_DEVICE_TREE_H
#define RVTRACED_DEVICE_TREE_H

#include <stdint.h>

#define DEVICE_TREE_TEXT_MAX	32

/**
 * device_tree_cell - a number
 * @encoder: name of the component
 * @node: below that of the encoder
 * @parameter: name of the property, with underscores for dashes
 *
 * Return: the first cell; -1: it is not there.
 */
int64_t device_tree_cell(const char *encoder, const char *node, const char *parameter);

/**
 * device_tree_text - a string
 * @encoder: name of the component
 * @node: below that of the encoder
 * @parameter: name of the property, with underscores for dashes
 * @text: filled; "" on failure
 *
 * Return: 0; -1: it is not there, or too long.
 */
int device_tree_text(const char *encoder, const char *node, const char *parameter,
		     char text[DEVICE_TREE_TEXT_MAX]);

#endif /* RVTRACED_DEVICE_TREE_H */
