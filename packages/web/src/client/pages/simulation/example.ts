import type { Recording } from '../../../shared/recording/index.ts'
import { send } from '../../data/get-json.ts'
import { readFile } from './read-file.ts'

/** A recording that comes with these pages. Throws Refusal, and Error with a message for the reader. */
export async function fetchExample(signal: AbortSignal): Promise<Recording> {
  const response = await send('/recordings/example.jsonl', {}, signal)
  if (!response.ok) throw new Error(`The example was answered with status ${response.status}.`)
  return readFile(await response.blob())
}
