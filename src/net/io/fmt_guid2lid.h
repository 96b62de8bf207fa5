/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs as changes to a network, from OpenSM's file or by an LMC. */
#ifndef HD_NET_IO_FMT_GUID2LID_H
#define HD_NET_IO_FMT_GUID2LID_H

#include "base/input.h"
#include "net/edit/net_with.h"

/* As hd_net_lids. */
hd_status hd_edit_lids(struct hd_net_edit *edit, const char *guid2lid, uint32_t lmc);
/* From an open guid2lid file. */
hd_status hd_guid2lid_read(struct hd_net_edit *edit, struct hd_in *in);

#endif
