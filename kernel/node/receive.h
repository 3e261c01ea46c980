/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_RECEIVE_H
#define _SCATTER_RECEIVE_H

struct scatter_wire_events;

extern const struct scatter_wire_events scatter_receive_events;

#endif /* _SCATTER_RECEIVE_H */
