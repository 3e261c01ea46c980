// SPDX-License-Identifier: GPL-2.0
/*
 * Records for people, as a table; for scripts, with tabs; for programs, as JSON.
 */
#include <string.h>

#include "json.h"
#include "nodes.h"

static void json_addresses(struct json *json, const char *name, const char *text)
{
	char copy[VALUE_TEXT], *rest = copy, *address;

	strcpy(copy, text);
	json_open(json, name, '[');
	while ((address = strsep(&rest, ",")))
		if (*address)
			json_string(json, NULL, address);
	json_close(json, ']');
}

static void json_record(struct json *json, const struct record *record)
{
	const struct field *field = record->fields->list;
	const struct value *value = record->values;

	json_open(json, NULL, '{');
	for (; field->name; field++, value++) {
		if (!value->there)
			json_null(json, field->name);
		else if (field->kind == FIELD_NUMBER)
			json_unsigned(json, field->name, value->number);
		else if (field->kind == FIELD_ADDRESSES)
			json_addresses(json, field->name, value->text);
		else
			json_string(json, field->name, value->text);
	}
	json_close(json, '}');
}

static void dump_record(const struct record *record)
{
	const struct field *field = record->fields->list;
	const struct value *value = record->values;

	for (; field->name; field++, value++)
		printf("%s%s", value == record->values ? "" : "\t",
		       value->there ? value->text : "-");
	puts("");
}

static const char *cell(const struct record *record, size_t i)
{
	return record->values[i].there ? record->values[i].text : "-";
}

/* Every field of a record that is alone, on a line of its own. */
static void list_record(const struct record *record)
{
	const struct field *field = record->fields->list;
	const struct value *value = record->values;

	for (; field->name; field++, value++)
		if (value->there)
			printf("%-19s%s\n", field->name, value->text);
}

static void table_column(const char *text, size_t width, bool last)
{
	printf("%-*s%s", last ? 0 : (int)width, text, last ? "\n" : "  ");
}

static void show_table(const struct records *records)
{
	const struct field *list = records->list[0].fields->list;
	size_t width[FIELDS_MAX] = { }, last = 0, i, n;

	for (i = 0; list[i].name; i++) {
		if (!list[i].brief)
			continue;
		last = i;
		width[i] = strlen(list[i].name);
		for (n = 0; n < records->count; n++) {
			size_t length = strlen(cell(&records->list[n], i));

			width[i] = length > width[i] ? length : width[i];
		}
	}
	for (i = 0; list[i].name; i++)
		if (list[i].brief)
			table_column(list[i].name, width[i], i == last);
	for (n = 0; n < records->count; n++)
		for (i = 0; list[i].name; i++)
			if (list[i].brief)
				table_column(cell(&records->list[n], i), width[i], i == last);
}

/**
 * show_record() - print a record that is alone
 * @record: the record
 * @format: how
 */
void show_record(const struct record *record, enum format format)
{
	struct json json = { .out = stdout };

	if (format == FORMAT_TABLE) {
		list_record(record);
	} else if (format == FORMAT_DUMP) {
		dump_record(record);
	} else {
		json_record(&json, record);
		puts("");
	}
}

/**
 * show_records() - print records of which there may be many, or none
 * @records: the records
 * @format: how
 */
void show_records(const struct records *records, enum format format)
{
	struct json json = { .out = stdout };
	size_t i;

	if (format == FORMAT_JSON) {
		json_open(&json, NULL, '[');
		for (i = 0; i < records->count; i++)
			json_record(&json, &records->list[i]);
		json_close(&json, ']');
		puts("");
	} else if (format == FORMAT_DUMP) {
		for (i = 0; i < records->count; i++)
			dump_record(&records->list[i]);
	} else if (records->count) {
		show_table(records);
	}
}

/**
 * show_answer() - ask for a record, and print it
 * @command: what to ask
 * @fields: what the answer tells
 * @format: how to print
 *
 * Return: the exit status.
 */
int show_answer(int command, const struct fields *fields, enum format format)
{
	struct request request = { .command = command };
	struct records records;
	int error = netlink_call(&request, fields, &records);

	if (!error && records.count)
		show_record(&records.list[0], format);
	records_free(&records);
	return error ? STATUS_FAILED : STATUS_OK;
}
