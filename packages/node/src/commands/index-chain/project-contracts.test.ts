/** Every contract of the development network's first state that the network names is known by its code. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadGenesis } from '@keelson/chainspec'
import { OWN_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { findProjectRoot, loadPrebuiltDevnet } from '@keelson/devnet/genesis'
import { readProjectContracts } from './project-contracts.ts'

const ROOT = findProjectRoot()
/** Files that the image and the npm package take along from packages of others. */
const { PACKAGE_FILES } = (await import(join(ROOT, 'scripts', 'container', 'assemble.mjs'))) as { PACKAGE_FILES: readonly string[] }

describe('contracts of the project', () => {
  const { l2Json, addresses } = loadPrebuiltDevnet(1_700_000_000)
  const codes = new Map(loadGenesis(JSON.parse(l2Json())).accounts.map(({ address, code }) => [address as string, code]))
  const known = readProjectContracts(ROOT)
  const find = (address: string) => known.find(codes.get(address) ?? new Uint8Array(0))
  const { UniswapV2Factory, UniswapV2Router02, PairNativeDollar, PairNativeBitcoin, PairDollars } = addresses
  const { TestDollar, TestDollar18, TestBitcoin, PriceFeedNativeUsd, PriceFeedBitcoinUsd, PriceFeedDollarUsd } = addresses
  const rows: readonly (readonly [name: string, ...addresses: string[]])[] = [
    ['Agents', OWN_CONTRACTS.Agents],
    ['Tasks', OWN_CONTRACTS.Tasks],
    ['Staking', OWN_CONTRACTS.Staking],
    ['TestToken', TestDollar, TestDollar18, TestBitcoin],
    ['PriceFeed', PriceFeedNativeUsd, PriceFeedBitcoinUsd, PriceFeedDollarUsd],
    ['UniswapV2Factory', UniswapV2Factory],
    ['UniswapV2Router02', UniswapV2Router02],
    ['UniswapV2Pair', PairNativeDollar, PairNativeBitcoin, PairDollars],
  ]
  for (const [name, ...places] of rows) {
    it(`have the source of ${name} with all its imports, and its ABI`, () => {
      for (const place of places) {
        const found = find(place)
        assert.equal(found?.name, name, place)
        assert.match(found.sources[found.file ?? ''] ?? '', new RegExp(`contract ${name}\\b`))
        const names = Object.keys(found.sources)
        for (const [file, text] of Object.entries(found.sources)) {
          for (const [, target = ''] of text.matchAll(/^import[^'"]*['"]([^'"]+)['"]/gm))
            assert.ok(
              names.some((other) => other.endsWith(target.replace(/^(\.+\/)+/, ''))),
              `${file} imports ${target}`,
            )
        }
        assert.ok(found.abi.some(({ type }) => type === 'function'))
      }
    })
  }

  it('have the ABI of the predeploys of the OP Stack', () => {
    assert.equal(find(PREDEPLOYS.WETH)?.name, 'WETH')
    assert.equal(find(PREDEPLOYS.L2StandardBridge)?.name, 'Proxy')
  })

  it('are not found for code that differs in a byte', () => {
    const code = (codes.get(TestDollar) as Uint8Array).slice()
    code[code.length - 1] = (code.at(-1) as number) ^ 1
    assert.equal(known.find(code), null)
    assert.equal(known.find(new Uint8Array(0)), null)
  })

  it('take all files of other packages along into the image and the npm package', () => {
    const paths = rows.flatMap(([, place]) => Object.keys(find(place as string)?.sources ?? {})).filter((path) => path.startsWith('@'))
    assert.deepEqual([...new Set(paths)].filter((path) => !PACKAGE_FILES.includes(path)).sort(), [])
    for (const file of PACKAGE_FILES) assert.ok(readFileSync(join(ROOT, 'node_modules', file)).length > 0)
  })
})
