/* SPDX-License-Identifier: BSD-2-Clause */
/* Which adapters belong to one host, and which rail each endpoint is on.
 *
 * Hosts are numbered by their first endpoint; each has one. The ports of an adapter are always of one
 * host, and the endpoints of a host are on distinct rails, of which there are at most 255. Routers and
 * aggregation nodes are hosts of their own under every rule. The rules:
 *
 * auto  A host is the adapters of one host name: the description without its device ("gpu-07 mlx5_0").
 *       Descriptions without a device ("MT4123 ConnectX6 ...") or without a real name ("localhost
 *       HCA-1") make adapters one host only if the system image GUID is the same too; so do those of a name
 *       that has a device twice, since several machines have that name. In a network that was read, switch ports
 *       tell whose such adapters are, and on which rail, where named hosts are cabled by a rule (host_slots.h).
 *       A rail is a device and port, so that hosts agree: mlx5_2 keeps its rail where mlx5_1 is absent.
 *       Devices are numbered in natural order, those never seen with each other on one host apart:
 *       HCA-1 of older nodes and mlx5_0 of newer ones are both rail 0. Where this makes more rails than any host
 *       has endpoints, because a few hosts name some devices otherwise, these take the rails their host has free.
 * port  Hosts as in auto. Rail = (adapter's index in its host) * P + port - 1, P being the largest port
 *       number in use: with one adapter a host it is the port.
 * none  Every adapter is a host; its ports are the rails, in order.
 * other An extended regular expression on the description. Group 1 is the host; group 2, if there is
 *       one, names the rail, and rails are in natural order of these names. An adapter whose
 *       description does not match is a host of its own.
 * Where devices or ports would need more than 255 rails, the endpoints of each host are counted. */
#ifndef HD_NET_CORE_HOSTS_H
#define HD_NET_CORE_HOSTS_H

#include "base/arena.h"
#include "heddle/net.h"

/* Sets host, rail, nhost, nrail, hnames and hname_at of net by net->rails; memory comes from arena. With cabling, the
 * rule auto makes hosts of nameless adapters by their switch ports too: what has been installed by people has a rule.
 * Expected O(n k) for n endpoints with at most k (255) on a host; the usual k is 1 to 8. */
hd_status hd_hosts_group(struct hd_ctx *ctx, struct hd_arena *arena, bool cabling, struct hd_net *net);

/* [nhost], false at first: whether a host has the name of another; those without selected endpoints do not count. */
hd_status hd_hosts_nameless(struct hd_ctx *ctx, const struct hd_net *net, bool *nameless);

/* The same fields, as they were in the network net was cut from: rails keep their numbers although
 * some are gone. was[e] is the endpoint of from that endpoint e of net was. */
hd_status hd_hosts_carry(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_net *net, const struct hd_net *from,
                         const uint32_t *was);

#endif
