/** Genesis files whose accounts and header fields must come to the encoded block. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { genesisHeader, l1ForkRules, loadGenesis } from '@keelson/chainspec'
import { bytesToHex, encodeBlock, hashHeader } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface GenesisTest {
  readonly timestamp: string
  readonly alloc: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly result: string
}

const LEAST_CASES = 3

/** The file has two ways of writing that geth's genesis.json does not: a balance called `wei`, and `0x` for zero. */
function inGethForm({ result: _, ...test }: GenesisTest): unknown {
  const alloc = Object.entries(test.alloc).map(([address, { wei, ...account }]) => [
    address,
    wei === undefined ? account : { ...account, balance: wei },
  ])
  return { ...test, timestamp: test.timestamp === '0x' ? '0x0' : test.timestamp, alloc: Object.fromEntries(alloc) }
}

export const genesisTests: ConformanceGroup = {
  name: 'genesis-tests',
  load(vectors): ConformanceCase[] {
    const text = readFileSync(join(vectors, 'ethereum-tests', 'GenesisTests', 'basic_genesis_tests.json'), 'utf8')
    const cases = Object.entries(JSON.parse(text) as Readonly<Record<string, GenesisTest>>).map(([id, test]) => ({
      id,
      run: () => {
        const genesis = loadGenesis(inGethForm(test))
        const header = genesisHeader(genesis, computeGenesisState(genesis.accounts).stateRoot, null, l1ForkRules('frontier'))
        const block = encodeBlock({ hash: hashHeader(header), header, transactions: [], withdrawals: null })
        assert.equal(bytesToHex(block), `0x${test.result}`)
      },
    }))
    assert.ok(cases.length >= LEAST_CASES, `expected at least ${LEAST_CASES} cases, got ${cases.length}`)
    return cases
  },
}
