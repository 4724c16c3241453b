/** `--second-opinion`: other libraries execute each block again from the witness that our execution recorded. */
import assert from 'node:assert/strict'
import { encodeHeader, type Header } from '@keelson/primitives'
import { type JudgeBlockOptions, judgeBlock } from '@keelson/second-opinion'
import type { WitnessRecorder } from '@keelson/state'
import { syncKzg } from '../support/sync-kzg.ts'

export const OPINION_VARIABLE = 'KEELSON_TEST_SECOND_OPINION'

export const wantsOpinion = process.env[OPINION_VARIABLE] === '1'

export interface RecordedBlock extends Omit<JudgeBlockOptions, 'witness' | 'kzg'> {
  readonly recorder: WitnessRecorder
  /** Consecutive, the parent last. */
  readonly ancestors: readonly Header[]
}

/** Throws unless the second opinion agrees. */
export async function assertOpinion({ recorder, ancestors, ...judged }: RecordedBlock): Promise<void> {
  const { nodes, codes } = recorder.witness()
  const witness = { state: nodes, codes, headers: ancestors.map(encodeHeader) }
  const verdict = await judgeBlock({ ...judged, witness, kzg: syncKzg })
  assert.deepEqual(verdict, { kind: 'agrees' }, 'second opinion')
}
