import assert from 'node:assert/strict'
import { CodecError, hexToBytes, type RlpInput, rlpDecode, rlpEncode, utf8ToBytes } from '@keelson/primitives'
import type { ConformanceGroup } from '../group.ts'
import { loadEthereumTests } from '../vectors/ethereum-tests.ts'

type RlpValue = string | number | readonly RlpValue[]

interface RlpTest {
  readonly in: RlpValue
  readonly out: string
}

function toItem(value: RlpValue): RlpInput {
  if (typeof value === 'number') return BigInt(value)
  if (typeof value !== 'string') return value.map(toItem)
  return value.startsWith('#') ? BigInt(value.slice(1)) : utf8ToBytes(value)
}

function judge(test: RlpTest): void {
  const raw = hexToBytes(`0x${test.out.replace(/^0x/, '')}`)
  if (test.in === 'INVALID') {
    assert.throws(() => rlpDecode(raw), CodecError)
    return
  }
  assert.deepEqual(rlpEncode(rlpDecode(raw) as RlpInput), raw)
  if (test.in !== 'VALID') assert.deepEqual(rlpEncode(toItem(test.in)), raw)
}

export const rlpTests: ConformanceGroup = {
  name: 'rlp-tests',
  under: ['ethereum-tests/'],
  load: (folder) =>
    loadEthereumTests(folder, { format: 'rlp' }, ({ id, content }) =>
      Object.entries(content as Readonly<Record<string, RlpTest>>).map(([name, test]) => ({ id: `${id}/${name}`, run: () => judge(test) })),
    ),
}
