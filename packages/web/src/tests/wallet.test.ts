import assert from 'node:assert/strict'
import { connectedAddress, sendWithWallet, switchChain, type Wallet, walletAddress, walletWords } from '../client/data/wallet/wallet.ts'
import type { ConfigDocument } from '../shared/config-document.ts'

const ALICE = `0x${'a1'.repeat(20)}`
const BRIDGE = `0x${'b2'.repeat(20)}`
const HASH = `0x${'ab'.repeat(32)}`
const L1 = 900
const CONFIG = {
  name: 'test',
  l1: { chainId: L1 },
  l2: { chainId: 84532, currency: 'ETH', publicRpcUrl: 'http://127.0.0.1:8545' },
} as unknown as ConfigDocument
const TRANSACTION = { from: ALICE, to: BRIDGE, data: '0x12', valueWei: 10n ** 18n }

type Answers = Readonly<Record<string, unknown>>

/** Answers with a value, or with what a function returns or throws. */
function walletWith(answers: Answers) {
  const asked: { readonly method: string; readonly params?: readonly unknown[] }[] = []
  const all: Answers = { eth_requestAccounts: [ALICE], eth_chainId: '0x384', eth_sendTransaction: HASH, ...answers }
  const wallet: Wallet = {
    async request(call) {
      asked.push(call)
      const answer = all[call.method]
      return typeof answer === 'function' ? (answer as () => unknown)() : answer
    },
  }
  return { wallet, asked, methods: () => asked.map(({ method }) => method) }
}

const refusing =
  (code: number, more: object = {}) =>
  () => {
    throw { code, message: 'no', ...more }
  }

describe('a wallet', () => {
  it('sends the transaction on the chain it is asked for, with the amount as hex', async () => {
    const { wallet, asked } = walletWith({})
    assert.equal(await sendWithWallet(wallet, TRANSACTION, L1, CONFIG), HASH)
    assert.deepEqual(asked.at(-1), {
      method: 'eth_sendTransaction',
      params: [{ from: ALICE, to: BRIDGE, data: '0x12', value: '0xde0b6b3a7640000', chainId: '0x384' }],
    })
  })

  it('tells an account that it has shown before, and nothing else counts as one', async () => {
    const told = (answer: unknown) => connectedAddress(walletWith({ eth_accounts: answer }).wallet)
    assert.equal(await told([ALICE.toUpperCase().replace('0X', '0x')]), ALICE)
    for (const answer of [[], null, ['<img>'], { 0: ALICE }, refusing(4001)]) assert.equal(await told(answer), null)
  })

  it('is asked to change its chain, and is not believed before it says so', async () => {
    let chain = '0x1'
    const changing = walletWith({
      eth_chainId: () => chain,
      wallet_switchEthereumChain: () => {
        chain = '0x384'
        return null
      },
    })
    await switchChain(changing.wallet, L1, CONFIG)
    const lying = walletWith({ eth_chainId: '0x1', wallet_switchEthereumChain: null })
    await assert.rejects(sendWithWallet(lying.wallet, TRANSACTION, L1, CONFIG), /on chain 1, not on 900/)
    assert.ok(!lying.methods().includes('eth_sendTransaction'))
  })

  it('learns L2 when it does not know it, and L1 is left to its owner', async () => {
    for (const refusal of [refusing(4902), refusing(-32603, { data: { originalError: { code: 4902 } } })]) {
      const { wallet, methods } = walletWith({ eth_chainId: '0x1', wallet_switchEthereumChain: refusal })
      await assert.rejects(switchChain(wallet, CONFIG.l2.chainId, CONFIG), /on chain 1/)
      assert.ok(methods().includes('wallet_addEthereumChain'))
      await assert.rejects(switchChain(wallet, L1, CONFIG), /does not know L1, chain id 900/)
    }
  })

  it('sends nothing when it changed its account meanwhile', async () => {
    const { wallet, methods } = walletWith({ eth_requestAccounts: [BRIDGE] })
    await assert.rejects(sendWithWallet(wallet, TRANSACTION, L1, CONFIG), /changed to account/)
    assert.ok(!methods().includes('eth_sendTransaction'))
  })

  it('that answers with nonsense is refused', async () => {
    for (const answer of [undefined, null, 7, {}, [], [7], ['0x12'], 'x', [`${ALICE}00`]])
      await assert.rejects(walletAddress(walletWith({ eth_requestAccounts: answer }).wallet), /gave no address/)
    for (const answer of [undefined, null, 7, {}, '0x', 'soon', `${HASH}ff`])
      await assert.rejects(
        sendWithWallet(walletWith({ eth_sendTransaction: answer }).wallet, TRANSACTION, L1, CONFIG),
        /no transaction hash/,
      )
    for (const answer of [undefined, null, 900, {}, '900', `0x${'f'.repeat(99)}`]) {
      const { wallet, methods } = walletWith({ eth_chainId: answer, wallet_switchEthereumChain: null })
      await assert.rejects(sendWithWallet(wallet, TRANSACTION, L1, CONFIG), /on chain unknown/)
      assert.ok(!methods().includes('eth_sendTransaction'))
    }
  })

  it('has its refusals told in one short line, whatever it throws', () => {
    assert.match(walletWords({ code: 4001, message: 'User denied' }), /nothing was sent/)
    assert.equal(walletWords(new Error('out of\n\u202efunds\u0000')), 'out of funds')
    assert.equal(walletWords('locked'), 'locked')
    assert.ok(walletWords(new Error('x'.repeat(5_000))).length < 250)
    const trap = Object.defineProperty({}, 'message', {
      get() {
        throw new Error('trap')
      },
    })
    for (const nothing of [undefined, null, 7, {}, { message: 7 }, { message: ' ' }, trap])
      assert.match(walletWords(nothing), /gave no reason/)
  })
})
