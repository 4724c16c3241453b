import assert from 'node:assert/strict'
import { CodecError, parseBlockJson, parseHeaderJson } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Answer {
  readonly metadata: { readonly name: string; readonly fail?: boolean; readonly reason?: string }
  readonly response: unknown
}

const REASONS: readonly (readonly [RegExp, (index: string) => RegExp])[] = [
  [/^failed to verify block hash/, () => /fields hash to 0x[0-9a-f]{64}, but the answer says/],
  [/^failed to verify transactions list/, () => /transactions have root/],
  [/^failed to verify withdrawals list/, () => /withdrawals have root/],
  [/^block tx (\d+) is n/, (i) => new RegExp(`transactions\\[${i}\\]: expected an object, got null`)],
  [/^block withdrawal (\d+) is n/, (i) => new RegExp(`withdrawals\\[${i}\\]: expected an object, got null`)],
]

function wordsFor(reason: string | undefined): RegExp {
  if (reason === undefined) return /but the answer says/
  for (const [words, ours] of REASONS) {
    const match = words.exec(reason)
    if (match !== null) return ours(match[1] ?? '')
  }
  throw new Error(`no text of ours is known for the reason "${reason}"`)
}

function check(answer: Answer, parse: (response: unknown) => unknown): void {
  const { fail, reason } = answer.metadata
  if (fail !== true) {
    parse(answer.response)
    return
  }
  const expected = wordsFor(reason)
  assert.throws(
    () => parse(answer.response),
    (error) => error instanceof CodecError && expected.test(error.message),
  )
}

const KINDS = [
  { prefix: 'op-misc/rpc-headers/', parse: parseHeaderJson },
  { prefix: 'op-misc/rpc-blocks/', parse: parseBlockJson },
]

export const opRpcAnswers: ConformanceGroup = {
  name: 'op-rpc-answers',
  under: KINDS.map(({ prefix }) => prefix),
  load: (folder): ConformanceCase[] =>
    KINDS.flatMap(({ prefix, parse }) =>
      folder.casesOf(folder.paths(prefix, /\.json$/), (path) => {
        const answer = folder.json<Answer>(path)
        return [{ id: path.slice('op-misc/'.length).replace(/\.json$/, ''), run: () => check(answer, parse) }]
      }),
    ),
}
