/** Malformed RLP that must be refused, and well-formed RLP that must come back as it was. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodecError, hexToBytes, type RlpInput, rlpDecode, rlpEncode } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface RlpTest {
  readonly in: 'INVALID' | 'VALID'
  readonly out: string
}

const FILES = ['invalidRLPTest.json', 'RandomRLPTests/example.json']
const LEAST_CASES = 20

export const rlpTests: ConformanceGroup = {
  name: 'rlp-tests',
  load(vectors): ConformanceCase[] {
    const cases = FILES.flatMap((name) => {
      const text = readFileSync(join(vectors, 'ethereum-tests', 'RLPTests', name), 'utf8')
      return Object.entries(JSON.parse(text) as Readonly<Record<string, RlpTest>>).map(([id, test]) => ({
        id: `${name}/${id}`,
        run: () => {
          // Some of the file's texts have the prefix and some have not.
          const raw = hexToBytes(`0x${test.out.replace(/^0x/, '')}`)
          if (test.in === 'VALID') assert.deepEqual(rlpEncode(rlpDecode(raw) as RlpInput), raw)
          else assert.throws(() => rlpDecode(raw), CodecError)
        },
      }))
    })
    assert.ok(cases.length >= LEAST_CASES, `expected at least ${LEAST_CASES} cases, got ${cases.length}`)
    return cases
  },
}
