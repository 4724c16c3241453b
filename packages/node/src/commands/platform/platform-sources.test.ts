import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVNET_FILES, findProjectRoot } from '@keelson/devnet/genesis'
import { readDevnet, sourcesConfig } from './platform-sources.ts'

const CONTRACTS = JSON.parse(readFileSync(join(findProjectRoot(), DEVNET_FILES, 'addresses.json'), 'utf8')) as Record<string, string>
const NONE = {
  devnet: null,
  chains: null,
  esploraUrl: null,
  llamaUrl: null,
  exchangeUrl: null,
  bridgeUrl: null,
  subgraphUrl: null,
  subgraphHosts: [],
  analyticsUrl: null,
  analyticsKey: null,
  searchUrl: null,
  searchKey: null,
  pythUrl: null,
  pythFeeds: null,
  llamaCoinsUrl: null,
  llamaYieldsUrl: null,
  llamaCoins: null,
}
const further = (id: number) => ({ id, name: `chain-${id}`, rpcUrl: 'http://127.0.0.1:1', native: { symbol: 'ETH' } })

describe('sources of the platform command', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'platform-sources-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const writeDevnet = () => {
    const chain = (chainId: number) => ({ rpcUrl: `http://127.0.0.1:${chainId}`, chainId })
    writeFileSync(
      join(folder, 'devnet.json'),
      JSON.stringify({ l1: chain(900), l2: chain(901), contracts: CONTRACTS, networkDir: folder, clockOffsetMs: -5_000 }),
    )
  }
  const writeChains = (chains: unknown) => {
    writeFileSync(join(folder, 'chains.json'), JSON.stringify(chains))
    return join(folder, 'chains.json')
  }

  it('are none when nothing is given', () => {
    assert.equal(readDevnet(NONE), null)
    assert.deepEqual(sourcesConfig(NONE, null), {
      chains: [],
      esploraUrl: null,
      pyth: null,
      llama: null,
      exchangeUrl: null,
      bridgeUrl: null,
      search: null,
      research: { subgraph: { url: null, hosts: [] }, analytics: null },
    })
  })

  it("are the development network's chains first, with its clock, then those of the file", () => {
    writeDevnet()
    const devnet = readDevnet({ devnet: folder })
    assert.equal(devnet?.clockOffsetMs, -5_000)
    const { chains } = sourcesConfig({ ...NONE, chains: writeChains([further(7)]) }, devnet)
    assert.deepEqual(
      chains.map(({ id }) => id),
      [901, 900, 7],
    )
  })

  it('are refused with what is wrong: no network there, a chain twice, no list', () => {
    assert.throws(() => readDevnet({ devnet: folder }), { code: 'node/usage', message: /devnet\.json/ })
    for (const chains of [[further(7), further(7)], {}, [{ id: 1 }]])
      assert.throws(() => sourcesConfig({ ...NONE, chains: writeChains(chains) }, null), { code: 'node/usage', message: /^--chains: / })
  })
})
