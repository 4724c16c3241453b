import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, BOB, CONTRACT, engine } from '../../../../test/support/evm-world.ts'
import { createMemoryView } from '../memory-view.ts'
import type { EvmTracer } from '../tracer.ts'

function recorder(): { readonly lines: string[]; readonly tracer: EvmTracer } {
  const lines: string[] = []
  return {
    lines,
    tracer: {
      step: (step) => void lines.push(`${step.depth} ${step.opcodeName} ${step.gasCost}`),
      enter: (frame) => void lines.push(`${frame.depth} > ${frame.kind} ${bytesToHex(frame.to ?? new Uint8Array(0)).slice(0, 4)}`),
      exit: (result) => void lines.push(`< ${result.status} ${result.gasUsed}`),
    },
  }
}

describe('tracer', () => {
  const inner = { address: BOB, code: hexToBytes('0x60006000fd') }
  const outer = { address: CONTRACT, code: hexToBytes(`0x5f5f5f5f73${bytesToHex(BOB).slice(2)}5afa00`) }

  it('receives frames and steps in order, with their costs', async () => {
    const { lines, tracer } = recorder()
    const session = engine.open(createMemoryView([inner, outer]), TEST_ENV, l1ForkRules('shanghai'), { tracer })
    session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
    session.call({ kind: 'call', from: ALICE, to: CONTRACT, valueWei: 0n, data: new Uint8Array(0), gas: 100_000n })
    assert.equal(lines[0], '0 > call 0xc0')
    assert.deepEqual(lines.slice(1, 7), ['0 PUSH0 2', '0 PUSH0 2', '0 PUSH0 2', '0 PUSH0 2', '0 PUSH20 3', '0 GAS 2'])
    assert.match(lines[7] as string, /^0 STATICCALL /)
    assert.deepEqual(lines.slice(8), [
      '1 > staticcall 0xb0',
      '1 PUSH1 3',
      '1 PUSH1 3',
      '1 REVERT 0',
      '< revert 6',
      '0 STOP 0',
      '< success 2619',
    ])
  })

  it('receives the price of a call to an account that delegates to itself, whose second access is warm', async () => {
    const lines: string[] = []
    const tracer: EvmTracer = { step: (step) => void lines.push(`${step.opcodeName} ${step.gasLeft} ${step.gasCost}`) }
    const delegated = { address: BOB, code: hexToBytes(`0xef0100${bytesToHex(BOB).slice(2)}`) }
    const caller = { address: CONTRACT, code: hexToBytes(`0x5f5f5f5f73${bytesToHex(BOB).slice(2)}5ffa00`) }
    const session = engine.open(createMemoryView([delegated, caller]), TEST_ENV, l1ForkRules('prague'), { tracer })
    session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
    session.call({ kind: 'call', from: ALICE, to: CONTRACT, valueWei: 0n, data: new Uint8Array(0), gas: 100_000n })
    assert.deepEqual(
      lines.filter((line) => /^(STATICCALL|STOP)/.test(line)),
      ['STATICCALL 99987 2700', 'STOP 97287 0'],
    )
  })

  it('receives nothing from sessions without it', async () => {
    const { lines, tracer } = recorder()
    const rules = l1ForkRules('london')
    engine.open(createMemoryView([outer]), TEST_ENV, rules, { tracer })
    const other = engine.open(createMemoryView([inner]), TEST_ENV, rules)
    other.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
    other.call({ kind: 'call', from: ALICE, to: BOB, valueWei: 0n, data: new Uint8Array(0), gas: 100_000n })
    assert.deepEqual(lines, [])
  })
})
