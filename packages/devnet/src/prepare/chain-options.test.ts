import assert from 'node:assert/strict'
import { Secret } from '@keelson/runtime'
import { HDNodeWallet, Mnemonic } from 'ethers'
import { DEV_ACCOUNTS } from '../genesis/devnet/dev-accounts.ts'
import { chainOptions, chosenAccounts, chosenParameters } from './chain-options.ts'

const DEFAULT_WORDS = 'test test test test test test test test test test test junk'
/** A test vector of BIP-39. */
const OTHER_WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

describe('the properties of a new development chain', () => {
  it('derive the accounts that wallets derive from the same words', () => {
    for (const words of [DEFAULT_WORDS, OTHER_WORDS]) {
      const { accounts } = chosenAccounts({ accounts: 12, mnemonic: new Secret(words) })
      assert.equal(accounts.length, 12)
      accounts.forEach((account, i) => {
        const wallet = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(words), `m/44'/60'/0'/0/${i}`)
        assert.deepEqual(account, { address: wallet.address.toLowerCase(), privateKey: wallet.privateKey })
      })
    }
  })

  it('are the default accounts, fewer or more of them', () => {
    assert.deepEqual(chosenAccounts({}), { balanceWei: 10_000n * 10n ** 18n, accounts: DEV_ACCOUNTS })
    assert.deepEqual(chosenAccounts({ accounts: 3 }).accounts, DEV_ACCOUNTS.slice(0, 3))
    assert.deepEqual(chosenAccounts({ accounts: 11 }).accounts.slice(0, 10), DEV_ACCOUNTS)
    assert.equal(chosenAccounts({ balance: 5 }).balanceWei, 5n * 10n ** 18n)
  })

  it('change only the parameters that are given', () => {
    assert.deepEqual(chosenParameters({}), {})
    assert.deepEqual(chosenParameters({ chainId: 77, blockTime: 1, gasLimit: 60_000_000 }), {
      l2ChainId: 77n,
      l2BlockTimeSec: 1,
      l2GasLimit: 60_000_000n,
    })
  })

  it('refuse words that are no mnemonic, without repeating them', () => {
    const { parse } = chainOptions.mnemonic
    for (const words of ['secret', `${OTHER_WORDS} more`, OTHER_WORDS.toUpperCase(), OTHER_WORDS.replace(' ', '  ')])
      assert.throws(
        () => parse(words),
        (error: Error) => /expected 12, 15/.test(error.message) && !error.message.includes('secret'),
      )
    assert.equal(parse(OTHER_WORDS)?.reveal(), OTHER_WORDS)
  })
})
