import type { Readable } from 'node:stream';
import { type IntakeRecord, type LineRefusal, readRecordLine } from '../../ingest/record-line.ts';
import { bodyLines, type Packing } from './body-lines.ts';

/** A line that is no record, by its number from 1. */
export type RejectedLine = { line: number; reason: LineRefusal };

/** What a body held: records, the first of the lines that are none, and how many of these there are. */
export type ReadBody = { records: IntakeRecord[]; rejected: RejectedLine[]; rejectedCount: number };

/** Rejected lines that are listed; the others are counted. */
const LISTED_REJECTIONS = 1_000;

/** Reads a body of NDJSON received at `receivedAt` (epoch ms) line by line; empty lines say nothing. Throws as `bodyLines`. */
export async function readRecords(
  body: Readable,
  packing: Packing,
  receivedAt: number,
): Promise<ReadBody> {
  const read: ReadBody = { records: [], rejected: [], rejectedCount: 0 };
  let number = 0;
  for await (const lines of bodyLines(body, packing)) {
    for (const text of lines) {
      number += 1;
      if (text.trim() === '') continue;
      const line = readRecordLine(text, receivedAt);
      if (line.ok) read.records.push(line.record);
      else {
        read.rejectedCount += 1;
        if (read.rejected.length < LISTED_REJECTIONS)
          read.rejected.push({ line: number, reason: line.reason });
      }
    }
  }
  return read;
}
