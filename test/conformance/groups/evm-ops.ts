import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, concatBytes, hexToBytes } from '@keelson/primitives'
import { runCall } from '../../support/evm-call.ts'
import type { ConformanceGroup } from '../group.ts'

interface Vector {
  readonly X: string
  readonly Y: string
  readonly Expected: string
}

const OPCODES: Readonly<Record<string, number>> = {
  add: 0x01,
  mul: 0x02,
  sub: 0x03,
  div: 0x04,
  sdiv: 0x05,
  mod: 0x06,
  smod: 0x07,
  exp: 0x0a,
  signext: 0x0b,
  lt: 0x10,
  gt: 0x11,
  slt: 0x12,
  sgt: 0x13,
  eq: 0x14,
  and: 0x16,
  or: 0x17,
  xor: 0x18,
  byte: 0x1a,
  shl: 0x1b,
  shr: 0x1c,
  sar: 0x1d,
}
const FOLDER = 'evm-ops/'
const PUSH32 = Uint8Array.of(0x7f)
const RETURN_TOP = hexToBytes('0x60005260206000f3')
const CONTRACT = new Uint8Array(20).fill(0xc0)

async function check(opcode: number, { X, Y, Expected }: Vector): Promise<void> {
  const code = concatBytes(PUSH32, hexToBytes(`0x${X}`), PUSH32, hexToBytes(`0x${Y}`), Uint8Array.of(opcode), RETURN_TOP)
  const result = await runCall({ rules: l1ForkRules('cancun'), to: CONTRACT, gas: 100_000n, accounts: [{ address: CONTRACT, code }] })
  assert.equal(result.status, 'success', result.error ?? '')
  assert.equal(bytesToHex(result.output), `0x${Expected}`)
}

export const evmOps: ConformanceGroup = {
  name: 'evm-ops',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const name = path.slice(FOLDER.length).replace(/^testcases_|\.json$/g, '')
      const opcode = OPCODES[name]
      assert.ok(opcode !== undefined, 'no opcode is known for a file of this name')
      return folder.json<readonly Vector[]>(path).map((vector, i) => ({ id: `${name}/${i}`, run: () => check(opcode, vector) }))
    }),
}
