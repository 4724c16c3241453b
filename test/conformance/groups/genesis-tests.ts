import assert from 'node:assert/strict'
import { genesisHeader, l1ForkRules, loadGenesis } from '@keelson/chainspec'
import { bytesToHex, encodeBlock, hashHeader } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceGroup } from '../group.ts'
import { loadEthereumTests } from '../vectors/ethereum-tests.ts'

interface GenesisTest {
  readonly timestamp: string
  readonly alloc: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly result: string
}

/** geth's form has no `wei`, and no `0x` for zero. */
function inGethForm({ result: _, ...test }: GenesisTest): unknown {
  const alloc = Object.entries(test.alloc).map(([address, { wei, ...account }]) => [
    address,
    wei === undefined ? account : { ...account, balance: wei },
  ])
  return { ...test, timestamp: test.timestamp === '0x' ? '0x0' : test.timestamp, alloc: Object.fromEntries(alloc) }
}

function judge(test: GenesisTest): void {
  const genesis = loadGenesis(inGethForm(test))
  const header = genesisHeader(genesis, computeGenesisState(genesis.accounts).stateRoot, null, l1ForkRules('frontier'))
  const block = encodeBlock({ hash: hashHeader(header), header, transactions: [], withdrawals: null })
  assert.equal(bytesToHex(block), `0x${test.result}`)
}

export const genesisTests: ConformanceGroup = {
  name: 'genesis-tests',
  under: ['ethereum-tests/'],
  load: (folder) =>
    loadEthereumTests(folder, { format: 'genesis' }, ({ id, content }) =>
      Object.entries(content as Readonly<Record<string, GenesisTest>>).map(([name, test]) => ({
        id: `${id}/${name}`,
        run: () => judge(test),
      })),
    ),
}
