import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProjectRoot } from '../genesis/contract-files.ts'
import { DEVNET_FILES } from '../genesis/devnet/prebuilt-devnet.ts'
import { contractSections } from './contract-sections.ts'

const ADDRESSES = JSON.parse(readFileSync(join(findProjectRoot(), DEVNET_FILES, 'addresses.json'), 'utf8')) as Record<string, string>

describe('contracts on the first screen', () => {
  it('stand under the chain they are on, those of use to people only', () => {
    const sections = Object.fromEntries(contractSections(ADDRESSES).map(({ title, rows }) => [title, rows.map(([name]) => name)]))
    assert.deepEqual(sections, {
      'Contracts on L1': ['SystemConfig', 'OptimismPortal', 'L2OutputOracle', 'L1StandardBridge', 'DepositEntry'],
      'Contracts on L2': ['Agents', 'Tasks', 'Staking'],
      'Exchange on L2': ['UniswapV2Factory', 'UniswapV2Router02', 'PairNativeDollar', 'PairNativeBitcoin', 'PairDollars'],
      'Tokens and prices on L2': [
        ...['TestDollar', 'TestDollar18', 'TestBitcoin'],
        ...['PriceFeedNativeUsd', 'PriceFeedBitcoinUsd', 'PriceFeedDollarUsd'],
      ],
    })
  })

  it('are shown with their addresses, and a group without any is not shown', () => {
    assert.deepEqual(contractSections({ Tasks: '0x01', ProxyAdmin: '0x02' }), [{ title: 'Contracts on L2', rows: [['Tasks', '0x01']] }])
  })
})
