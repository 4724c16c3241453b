import assert from 'node:assert/strict'
import { depositPage, l1ExplorerPage } from '../client/data/l1-pages.ts'

const HASH = `0x${'ab'.repeat(32)}`
const configWith = (explorerUrl: string | null) => ({ l1: { chainId: 1, batchInbox: `0x${'ff'.repeat(20)}`, explorerUrl } })

describe('something on L1', () => {
  it('has a page of the explorer that the operator named, with or without a slash at the end of its URL', () => {
    for (const url of ['https://l1.example.org', 'https://l1.example.org/'])
      assert.deepEqual(
        [l1ExplorerPage(configWith(url), 'tx', HASH), l1ExplorerPage(configWith(url), 'block', 7)],
        [`https://l1.example.org/tx/${HASH}`, 'https://l1.example.org/block/7'],
      )
    assert.equal(l1ExplorerPage(configWith('https://example.org/l1'), 'address', '0xaa'), 'https://example.org/l1/address/0xaa')
  })

  it('has none where the operator named no explorer', () => {
    assert.equal(l1ExplorerPage(configWith(null), 'tx', HASH), null)
  })

  it('has the page of its deposit where the network has a bridge service', () => {
    const services = { index: true, faucet: true, bridge: true, platform: true }
    assert.equal(depositPage({ services }, HASH), `/bridge?deposit=${HASH}`)
    assert.equal(depositPage({ services: { ...services, bridge: false } }, HASH), null)
  })
})
