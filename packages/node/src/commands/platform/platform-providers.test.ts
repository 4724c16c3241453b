import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@keelson/runtime'
import { type ProviderValues, platformProviderOptions, providersConfig } from './platform-providers.ts'

const NONE: ProviderValues = {
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
const FEED = { id: 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace', base: 'ETH', quote: 'USD' }
const URL_OF = (name: string) => `http://127.0.0.1:1/${name}`

describe("sources of others of the platform's command", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'platform-providers-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const file = (name: string, content: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  it('are none when nothing is given', () => {
    assert.deepEqual(providersConfig(NONE, null), {
      pyth: null,
      llama: null,
      search: null,
      research: { subgraph: { url: null, hosts: [] }, analytics: null },
    })
  })

  it('are what is given', () => {
    const key = new Secret('k')
    const { research, search } = providersConfig(
      {
        ...NONE,
        subgraphUrl: URL_OF('graph'),
        subgraphHosts: ['*.example.org'],
        analyticsUrl: URL_OF('analytics'),
        analyticsKey: key,
        searchUrl: URL_OF('search'),
        searchKey: key,
      },
      null,
    )
    assert.deepEqual(research, {
      subgraph: { url: URL_OF('graph'), hosts: ['*.example.org'] },
      analytics: { url: URL_OF('analytics'), key },
    })
    assert.deepEqual(search, { url: URL_OF('search'), key })
  })

  it('of Pyth need a file with feeds; the service has a default', () => {
    const pythFeeds = file('feeds.json', { feeds: [FEED], maxAgeSec: 30 })
    const { pyth } = providersConfig({ ...NONE, pythFeeds }, null)
    assert.deepEqual(pyth, { baseUrl: 'https://hermes.pyth.network', feeds: [FEED], maxAgeSec: 30, maxConfidenceBps: 100 })
    assert.equal(providersConfig({ ...NONE, pythFeeds, pythUrl: URL_OF('hermes') }, null).pyth?.baseUrl, URL_OF('hermes'))
  })

  it('of DefiLlama are its own where none are given', () => {
    const coins = { ETH: 'coingecko:ethereum' }
    const some = providersConfig({ ...NONE, llamaYieldsUrl: URL_OF('yields'), llamaCoins: file('coins.json', coins) }, URL_OF('api'))
    assert.deepEqual(some.llama, { apiUrl: URL_OF('api'), coinsUrl: 'https://coins.llama.fi', yieldsUrl: URL_OF('yields'), coins })
    assert.equal(providersConfig({ ...NONE, llamaCoinsUrl: URL_OF('coins') }, null).llama?.apiUrl, 'https://api.llama.fi')
  })

  it('are refused with what is wrong: half of a pair, no such file, no JSON, another form', () => {
    const key = new Secret('k')
    for (const [values, why] of [
      [{ analyticsKey: key }, /^--analytics\.key means nothing without --analytics\.url/],
      [{ searchKey: key }, /^--search\.key means nothing without --search\.url/],
      [{ pythUrl: URL_OF('hermes') }, /^--pyth\.url means nothing without --pyth\.feeds/],
      [{ pythFeeds: join(folder, 'missing.json') }, /^--pyth\.feeds: .*missing\.json cannot be used/],
      [{ pythFeeds: file('text.json', 'no JSON') }, /^--pyth\.feeds: .*cannot be used/],
      [{ pythFeeds: file('empty.json', { feeds: [] }) }, /^--pyth\.feeds: .*cannot be used/],
      [{ pythFeeds: file('id.json', { feeds: [{ ...FEED, id: '12' }] }) }, /^--pyth\.feeds: .*cannot be used/],
      [{ llamaCoins: file('coins.json', { ETH: 1 }) }, /^--defillama\.coins: .*cannot be used/],
    ] as const)
      assert.throws(() => providersConfig({ ...NONE, ...values }, null), { code: 'node/usage', message: why })
  })

  it('may be hosts that have a name, and nothing else', () => {
    const { parse } = platformProviderOptions.subgraphHosts
    assert.deepEqual(parse('Graph.example.org, *.example.net'), ['graph.example.org', '*.example.net'])
    assert.deepEqual(parse(''), [])
    for (const text of ['*', '*.org', 'localhost', '127.0.0.1', '0x7f.1', '[::1]', 'https://graph.example.org', 'graph.example.org:443'])
      assert.throws(() => parse(text), /expected the name of a host/, text)
  })
})
