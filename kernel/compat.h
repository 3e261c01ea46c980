/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compatibility: the only file that knows kernel versions.
 */
#ifndef _SCATTER_COMPAT_H
#define _SCATTER_COMPAT_H

#include <linux/export.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/time_namespace.h>
#include <linux/timekeeping.h>
#include <linux/version.h>
#include <net/genetlink.h>

#if !IS_ENABLED(CONFIG_64BIT) || !IS_ENABLED(CONFIG_MMU_NOTIFIER)
#error "scatter needs a 64-bit kernel with CONFIG_MMU_NOTIFIER"
#endif

/*
 * Before 6.5 hugetlb memory ignores FOLL_NOFAULT: the kernel serves the fault, but with FOLL_NOWAIT
 * does not wait for the fault.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define SCATTER_COMPAT_NOFAULT	(FOLL_NOFAULT | FOLL_NOWAIT)
#else
#define SCATTER_COMPAT_NOFAULT	FOLL_NOFAULT
#endif

/**
 * scatter_compat_get_remote() - take references on pages of another address space, to read
 * @mm: the address space; its mmap lock is held for reading
 * @start: first address, page-aligned
 * @nr: how many pages
 * @pages: (out) the pages
 *
 * Takes only pages that are present. 6.5 dropped the array of VMAs from get_user_pages_remote().
 *
 * Context: may sleep, but not for a fault.
 * Return: pages taken, which may be fewer than @nr, or -errno.
 */
static inline long scatter_compat_get_remote(struct mm_struct *mm,
					     unsigned long start,
					     unsigned long nr,
					     struct page **pages)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return get_user_pages_remote(mm, start, nr, SCATTER_COMPAT_NOFAULT, pages,
				     NULL, NULL);
#else
	return get_user_pages_remote(mm, start, nr, SCATTER_COMPAT_NOFAULT, pages,
				     NULL);
#endif
}

/**
 * scatter_compat_pin_remote() - pin pages of another address space, to write
 * @mm: the address space; its mmap lock is held for reading
 * @start: first address, page-aligned
 * @nr: how many pages
 * @pages: (out) the pages
 *
 * Pins only pages that are present and writable. 6.5 dropped the array of VMAs from
 * pin_user_pages_remote().
 *
 * Context: may sleep, but not for a fault.
 * Return: pages pinned, which may be fewer than @nr, or -errno.
 */
static inline long scatter_compat_pin_remote(struct mm_struct *mm,
					     unsigned long start,
					     unsigned long nr,
					     struct page **pages)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return pin_user_pages_remote(mm, start, nr,
				     FOLL_WRITE | SCATTER_COMPAT_NOFAULT, pages,
				     NULL, NULL);
#else
	return pin_user_pages_remote(mm, start, nr,
				     FOLL_WRITE | SCATTER_COMPAT_NOFAULT, pages,
				     NULL);
#endif
}

/**
 * scatter_compat_task_runs() - whether a task is on a CPU right now
 * @task: the task
 *
 * Context: any.
 */
static inline bool scatter_compat_task_runs(struct task_struct *task)
{
#ifdef CONFIG_SMP
	return owner_on_cpu(task);
#else
	return false;
#endif
}

/**
 * scatter_compat_yield_to() - let other tasks run, a certain task first
 * @task: the task, if it is ready to run; NULL: any
 *
 * Before 6.15, yield_to() does not take the pi_lock of a sleeping task, which may be woken on
 * another CPU at that moment. So yield_to() may make a run queue point to a task that is not in
 * that queue any more.
 *
 * Context: may sleep.
 */
static inline void scatter_compat_yield_to(struct task_struct *task)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	if (task && yield_to(task, true) > 0)
		return;
#endif
	yield();
}

/**
 * scatter_compat_timens_ns() - how far CLOCK_MONOTONIC is ahead for the current task
 *
 * The kernel's function that converts times of a time namespace is not exported; the function that
 * adds the offset is inline.
 *
 * Context: any.
 * Return: nanoseconds, also negative.
 */
static inline s64 scatter_compat_timens_ns(void)
{
	struct timespec64 offset = {};

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

/* 6.10 dropped the source from __assign_str(): __string() has the source already. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define scatter_compat_assign_str(field, source) __assign_str(field, source)
#else
#define scatter_compat_assign_str(field, source) __assign_str(field)
#endif

/* 6.13 wants the name of a namespace of symbols as a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define SCATTER_COMPAT_EXPORT(symbol) EXPORT_SYMBOL_NS_GPL(symbol, SCATTER)
#define SCATTER_COMPAT_IMPORT MODULE_IMPORT_NS(SCATTER)
#else
#define SCATTER_COMPAT_EXPORT(symbol) EXPORT_SYMBOL_NS_GPL(symbol, "SCATTER")
#define SCATTER_COMPAT_IMPORT MODULE_IMPORT_NS("SCATTER")
#endif

/**
 * scatter_compat_dump_attributes() - find the attributes of a dump's request
 * @callback: the dump's callback struct
 *
 * Since 6.7 a dump keeps the attributes of its request as other commands do.
 *
 * Context: any.
 * Return: by type, as of struct genl_info.
 */
static inline struct nlattr **scatter_compat_dump_attributes(struct netlink_callback *callback)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	return genl_dumpit_info(callback)->attrs;
#else
	return genl_info_dump(callback)->attrs;
#endif
}

#endif /* _SCATTER_COMPAT_H */
