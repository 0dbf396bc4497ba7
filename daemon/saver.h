/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that saves program images of one recording, so that reading
 * megabytes of text and the files of strangers neither delays the draining of a
 * sink nor endangers the daemon.
 *
 * It is rvtraced started with SAVER_OPTION. Requests come as JSON objects, one a
 * line, through SAVER_CHANNEL; each is answered by a line: {} when it was
 * carried out, {"error": "..."} otherwise, {"changes": N} for `check`. Code that
 * comes in between is watched for and saved without being asked: watch.h; an error
 * of that goes with the next answer, and so does {"warning": "..."}, what cannot be
 * watched. It ends when the channel is closed, or with the process that asks.
 */
#ifndef RVTRACED_SAVER_H
#define RVTRACED_SAVER_H

#define SAVER_OPTION	"--save-images"
#define SAVER_CHANNEL	3	/* file descriptor of the requests */
#define SAVER_DIRECTORY	4	/* file descriptor of images/, which comes first through the channel */

/**
 * saver_main - the process
 * @arguments: numbers: user and group that own the recording, the process that asks, and @crowded
 *	of struct saver: who asks may have read what others wrote later
 *
 * Return: its exit status.
 */
int saver_main(char *const arguments[4]);

#endif /* RVTRACED_SAVER_H */
