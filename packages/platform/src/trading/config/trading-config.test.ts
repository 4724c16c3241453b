import assert from 'node:assert/strict'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { CHAIN, ROUTER } from '../market.test-support.ts'
import { CHAINS, walletInput } from './trading-config.test-support.ts'
import { parseTradingConfig } from './trading-config.ts'

const parse = (json: unknown) => parseTradingConfig(typeof json === 'string' ? json : JSON.stringify(json), '/srv/trading.json', CHAINS)
const refused = (json: unknown, message: RegExp) => assert.throws(() => parse(json), { code: 'platform/trading-config', message })
const withWallet = (...wallets: readonly unknown[]) => ({ wallets })

describe('the configuration of trading', () => {
  it('is read with its limits, paths from its own folder on', () => {
    const { wallets, stopFile, limits } = parse(withWallet(walletInput()))
    assert.deepEqual(wallets[0]?.keystore, { path: '/srv/keys/main.json', passwordFile: '/etc/password' })
    assert.equal(wallets[0]?.policy.maxTradeUsd.toFixed(), '100.5')
    assert.equal(stopFile, '/srv/stop-trading')
    assert.deepEqual(limits, {
      maxGasCostWei: 10n ** 16n,
      maxDailyGasWei: 10n ** 17n,
      deadlineSec: 120,
      confirmations: 3,
      walletWaitMs: 10_000,
      answerWaitMs: 8_000,
      resubmitAfterMs: 15_000,
    })
  })

  it('takes addresses of people in any case, and both addresses of the native currency for one', () => {
    const zero = { chainId: CHAIN, address: `0x${'0'.repeat(40)}` }
    const { wallets } = parse(withWallet(walletInput({ users: ['Ann@Example.org', 7] }, { tokens: [zero] })))
    assert.deepEqual(wallets[0]?.users, ['ann@example.org', 7])
    assert.deepEqual(wallets[0]?.policy.tokens, [{ chainId: CHAIN, address: NATIVE_ADDRESS }])
  })

  it('names every field that is wrong, and repeats no value', () => {
    refused('{', /\/srv\/trading\.json cannot be used: expected JSON/)
    refused({}, /wallets: /)
    refused(withWallet(), /wallets: /)
    refused(withWallet({ ...walletInput(), secret: 'hush' }), /wallets\.0: [^;]*secret/)
    refused(withWallet(walletInput({ ref: 'a b' })), /wallets\.0\.ref: expected 1 to 100 letters/)
    refused(withWallet(walletInput({ users: ['nobody'] })), /wallets\.0\.users: expected "\*", or a list/)
    refused(withWallet(walletInput({}, { maxTradeUsd: 0 })), /wallets\.0\.policy\.maxTradeUsd: /)
    refused(withWallet(walletInput({}, { maxSlippageBps: 10_001 })), /wallets\.0\.policy\.maxSlippageBps: /)
    refused({ ...withWallet(walletInput()), limits: { maxGasCostWei: '1e18' } }, /limits\.maxGasCostWei: expected wei/)
    const twice = withWallet(walletInput({ ref: '' }, { contracts: [{ chainId: CHAIN, address: '0x12' }] }))
    refused(twice, /wallets\.0\.ref: .*; wallets\.0\.policy\.contracts\.0\.address: /)
    const remote = { url: 'ftp://user:hush@signer', address: ROUTER }
    assert.throws(
      () => parse(withWallet(walletInput({ keystore: undefined, remoteSigner: remote }))),
      (error: Error) => /remoteSigner\.url/.test(error.message) && !error.message.includes('hush'),
    )
  })

  it('refuses chains that are not there or have nothing to trade on, and policies beyond the wallet', () => {
    refused(
      withWallet(walletInput({ chainIds: [CHAIN, 5] })),
      /wallets\.0\.chainIds\.1: chain 5 is not configured, expected one of 84532, 7/,
    )
    refused(withWallet(walletInput({ chainIds: [CHAIN, 7] })), /wallets\.0\.chainIds\.1: chain 7 has no exchange/)
    refused(withWallet(walletInput({}, { chainIds: [7] })), /wallets\.0\.policy\.chainIds\.0: the wallet is not of chain 7/)
    const elsewhere = { chainId: 5, address: ROUTER }
    refused(withWallet(walletInput({}, { tokens: [elsewhere] })), /wallets\.0\.policy\.tokens\.0\.chainId: chain 5/)
    refused(withWallet(walletInput({}, { contracts: [elsewhere] })), /wallets\.0\.policy\.contracts\.0\.chainId: chain 5/)
    refused(withWallet(walletInput({}, { contracts: [] })), new RegExp(`wallets\\.0\\.policy\\.contracts: the router ${ROUTER}`))
    assert.equal(parse(withWallet(walletInput({}, { contracts: [], enabled: false }))).wallets.length, 1)
    refused(withWallet(walletInput({}, { maxTradeUsd: 1_001 })), /wallets\.0\.policy\.maxTradeUsd: /)
  })

  it('refuses a wallet without a key or with two, and a name that means two wallets to somebody', () => {
    refused(withWallet(walletInput({ keystore: undefined })), /wallets\.0: expected either keystore or remoteSigner/)
    const remoteSigner = { url: 'http://127.0.0.1:1', address: ROUTER }
    refused(withWallet(walletInput({ remoteSigner })), /wallets\.0: expected either/)
    refused(
      withWallet(walletInput(), walletInput({ users: ['ann@example.org'] })),
      /wallets\.1\.ref: main means another wallet .*wallets\.0/,
    )
    refused(withWallet(walletInput({ users: [1, 2] }), walletInput({ users: [2] })), /wallets\.1\.ref/)
    assert.equal(parse(withWallet(walletInput({ users: [1] }), walletInput({ users: [2] }), walletInput({ ref: 'b' }))).wallets.length, 3)
  })
})
