/* SPDX-License-Identifier: GPL-2.0 */
/* What a test that failed may have left, put back for those that follow. */
#ifndef UNDO_H
#define UNDO_H

/* Remember what every setting of the driver reads now. */
void undo_remember(void);

/* Harts online, module loaded, components bound, settings as they were remembered. */
void undo_all(void);

#endif
