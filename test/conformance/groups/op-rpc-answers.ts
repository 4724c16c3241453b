/** Answers of L1 nodes, good and bad: a node that trusts none must take exactly the good ones. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodecError, parseBlockJson, parseHeaderJson } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Answer {
  readonly metadata: { readonly name: string; readonly fail?: boolean; readonly reason?: string }
  readonly response: unknown
}

/** The words of the vectors' reasons, and what must be named in ours. */
const REASONS: Readonly<Record<string, RegExp>> = {
  'failed to verify block hash': /fields hash to 0x[0-9a-f]{64}, but the answer says/,
  'failed to verify transactions list': /transactions have root/,
  'failed to verify withdrawals list': /withdrawals have root/,
  'block tx 0 is nil': /transactions\[0\]: expected an object, got null/,
  'block withdrawal 0 is null': /withdrawals\[0\]: expected an object, got null/,
}

function check(answer: Answer, parse: (response: unknown) => unknown): void {
  const { fail, reason } = answer.metadata
  if (fail !== true) {
    parse(answer.response)
    return
  }
  const expected = reason === undefined ? /but the answer says/ : REASONS[reason]
  assert.ok(expected !== undefined, `no words of ours for the reason "${reason}"`)
  assert.throws(
    () => parse(answer.response),
    (error) => error instanceof CodecError && expected.test(error.message),
  )
}

export const opRpcAnswers: ConformanceGroup = {
  name: 'op-rpc-answers',
  load(vectors): ConformanceCase[] {
    const kinds = [
      { folder: 'rpc-headers', parse: parseHeaderJson, count: 6 },
      { folder: 'rpc-blocks', parse: parseBlockJson, count: 8 },
    ]
    return kinds.flatMap(({ folder, parse, count }) => {
      const files = readdirSync(join(vectors, 'op-misc', folder))
      assert.ok(files.length >= count, `expected ${count} files in op-misc/${folder}, got ${files.length}`)
      return files.map((file) => {
        const answer = JSON.parse(readFileSync(join(vectors, 'op-misc', folder, file), 'utf8')) as Answer
        return { id: `${folder}/${answer.metadata.name}`, run: () => check(answer, parse) }
      })
    })
  },
}
