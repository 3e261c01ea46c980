/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SAY_H
#define _SCATTER_SAY_H

#include <linux/types.h>

#include "wire/wire.h"

struct scatter_connection;
struct scatter_message;

void scatter_say_locked(struct scatter_connection *connection, const void *message, u32 bytes);
void scatter_say_refuse_locked(struct scatter_connection *connection,
			       enum scatter_wire_reason reason);
void scatter_say_bye_locked(struct scatter_connection *connection,
			    enum scatter_wire_reason reason);
void scatter_say_forget_locked(struct scatter_connection *connection);
bool scatter_say_loses_locked(const struct scatter_connection *connection);
void scatter_say_restart_locked(struct scatter_connection *connection, u64 incarnation);
void scatter_say_withdraw_locked(struct scatter_connection *connection,
				 struct scatter_message *message);
void scatter_say_flush_locked(struct scatter_connection *connection);
void scatter_say_flush_quickly_locked(struct scatter_connection *connection);
void scatter_say_credit_locked(struct scatter_connection *connection, bool keepalive);
struct scatter_message *scatter_say_message(u32 bytes);
void scatter_say_ungrant_locked(struct scatter_connection *connection,
				struct scatter_message *message);
void scatter_say_queue_locked(struct scatter_connection *connection,
			      struct scatter_message *message);
bool scatter_say_late_locked(struct scatter_connection *connection,
			     struct scatter_message *message);
void scatter_say_late_all_locked(struct scatter_connection *connection);
void scatter_say_got_locked(struct scatter_connection *connection);
void scatter_say_again_locked(struct scatter_connection *connection,
			      struct scatter_message *message);
void scatter_say_free(struct scatter_message *message);
bool scatter_say_acknowledge_locked(struct scatter_connection *connection, u32 number);
bool scatter_say_adds_up_locked(const struct scatter_connection *connection);

#endif /* _SCATTER_SAY_H */
