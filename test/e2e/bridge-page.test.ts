import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createPublicClient, type Hex, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { findChromium } from '../support/browser/find-chromium.ts'
import { injectWallet } from '../support/browser/inject-wallet.ts'
import { DARK, DESKTOP, type OpenedPages, openPages, PHONE, seriousFindings } from '../support/browser/open-pages.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const chromium = findChromium()
/** An output root covers a withdrawal within some two minutes. */
const STEP_MS = 300_000

describe(`the bridge on the pages${chromium === null ? ', not run because no Chromium is installed' : ` in ${chromium.version}`}`, () => {
  if (chromium === null) return
  let devnet: DevnetProcess
  let pages: OpenedPages
  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, withServices('web', 'bridge', 'index'))
    const url = devnet.facts.services.web
    await eventually('the index following', async () => (await fetch(`${url}/api/index/blocks`)).ok)
    pages = await openPages(chromium, url)
  })
  afterEach(() => assert.deepEqual(pages.offences, []))
  after(async () => {
    await pages?.close()
    await devnet?.remove()
  })

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click({ timeout: STEP_MS })
  const textOf = (page: Page, pattern: RegExp) =>
    eventually(`${pattern} on ${page.url()}`, async () => pattern.test((await page.locator('main').textContent()) ?? ''), STEP_MS)
  const balanceOf = (layer: 'l1' | 'l2', address: Hex) =>
    createPublicClient({ transport: http(devnet.facts[layer].rpcUrl) }).getBalance({ address })
  const newAddress = () => privateKeyToAddress(generatePrivateKey())
  const openConnected = async (path: string, account: number) => {
    const page = await pages.open()
    const wallet = await injectWallet(page, devnet, account)
    await page.goto(path)
    await press(page, 'Connect a wallet')
    const sends = () => wallet.asked.filter((method) => method === 'eth_sendTransaction').length
    return { page, wallet, sends }
  }
  /** Both themes and a phone, with a connected wallet. */
  const inspect = async (path: string, content: RegExp) => {
    for (const view of [DESKTOP, DARK, PHONE]) {
      const page = await pages.open(view)
      await injectWallet(page, devnet, 3)
      await page.goto(path)
      await press(page, 'Connect a wallet')
      await textOf(page, content)
      assert.deepEqual(await seriousFindings(page), [], `${path}, ${view.theme}, ${view.width} px`)
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= view.width, path)
      await page.context().close()
    }
  }

  it('carries a deposit and a withdrawal to their ends, whenever the page is reloaded', async () => {
    const { page, sends } = await openConnected('/bridge?tab=withdraw', 3)
    const [onL1, onL2] = [newAddress(), newAddress()]
    await page.locator('#bridge-amount').fill('0.25')
    await page.locator('#bridge-recipient').fill(onL1)
    await textOf(page, /You receive\s*0\.25 ETH on L1/)
    await press(page, 'Withdraw')
    await textOf(page, /Withdrawal of 0\.25 ETH/)
    const withdrawal = page.url()

    await page.goto('/bridge')
    await page.locator('#bridge-amount').fill('0.5')
    await page.locator('#bridge-recipient').fill(onL2)
    await textOf(page, /asks you first to change to L1/)
    await press(page, 'Deposit')
    await textOf(page, /Deposit/)
    await page.waitForURL(/deposit=0x/)
    await page.reload()
    await textOf(page, /Deposit of 0\.5 ETH[\s\S]*the funds are on L2/)
    assert.equal(await balanceOf('l2', onL2), parseEther('0.5'))
    await inspect(page.url(), /Deposit of 0\.5 ETH[\s\S]*You receive/)

    await page.goto(withdrawal)
    await page.getByRole('button', { name: 'Prove on L1' }).waitFor({ timeout: STEP_MS })
    await inspect(withdrawal, /ready to prove[\s\S]*Prove on L1/)
    await press(page, 'Prove on L1')
    await textOf(page, /Sent in L1 transaction/)
    await page.reload()
    await press(page, 'Finalize on L1')
    await textOf(page, /paid out on L1/)
    await page.reload()
    await textOf(page, /Withdrawal of 0\.25 ETH[\s\S]*paid out on L1/)
    assert.equal(await balanceOf('l1', onL1), parseEther('0.25'))
    assert.equal(sends(), 4)
    await inspect(withdrawal, /paid out on L1/)
    await page.context().close()
  })

  it('sends nothing when the owner refuses the change of chain or the transaction, and then works', async () => {
    const { page, wallet, sends } = await openConnected('/bridge', 4)
    await page.locator('#bridge-amount').fill('0.5')
    wallet.reject('wallet_switchEthereumChain')
    await press(page, 'Deposit')
    await textOf(page, /Rejected in the wallet; nothing was sent/)
    assert.equal(sends(), 0)
    wallet.honest()
    wallet.reject('eth_sendTransaction')
    await press(page, 'Deposit')
    await eventually('the wallet being asked to send', async () => sends() === 1)
    await textOf(page, /Rejected in the wallet; nothing was sent/)
    assert.equal(page.url().includes('deposit='), false)
    wallet.honest()
    await press(page, 'Deposit')
    await textOf(page, /Deposit of 0\.5 ETH/)
    await page.context().close()
  })

  it('refuses an amount below the minimum or above the balance before the wallet opens', async () => {
    const { page, sends } = await openConnected('/bridge', 5)
    for (const [typed, trouble] of [
      ['0.009', /At least 0\.01 ETH/],
      ['20000', /The account has 10,000 ETH/],
      ['10000', /Leave about [\d.,]+ \S+ for the fee/],
    ] as const) {
      await page.locator('#bridge-amount').fill(typed)
      await textOf(page, trouble)
      assert.equal(await page.getByRole('button', { name: 'Deposit', exact: true }).isDisabled(), true)
    }
    await press(page, 'Max')
    await textOf(page, /You receive\s*9,999\.\d+ ETH on L2/)
    assert.equal(await page.getByRole('button', { name: 'Deposit', exact: true }).isDisabled(), false)
    assert.equal(sends(), 0)
    await page.context().close()
  })

  it('survives a wallet that answers with nonsense', async () => {
    const page = await pages.open()
    const wallet = await injectWallet(page, devnet, 6)
    wallet.pretend('eth_requestAccounts', { length: 1, 0: '<img src=x>' })
    wallet.pretend('eth_accounts', '<img src=x>')
    await page.goto('/bridge')
    await press(page, 'Connect a wallet')
    await textOf(page, /gave no address/)
    wallet.honest()
    await press(page, 'Connect a wallet')
    await page.locator('#bridge-amount').fill('0.5')
    wallet.pretend('eth_chainId', '0x1')
    await press(page, 'Deposit')
    await textOf(page, /is on chain 1, not on/)
    wallet.honest()
    wallet.pretend('eth_sendTransaction', '<img src=x>')
    await press(page, 'Deposit')
    await textOf(page, /gave no transaction hash/)
    assert.equal(await page.locator('main img').count(), 0)
    await page.context().close()
  })

  it('follows the owner to another account', async () => {
    const { page, wallet } = await openConnected('/bridge', 7)
    const shown = (index: number) => new RegExp(`as ${devnet.facts.accounts[index]?.address.slice(0, 8)}`)
    await textOf(page, shown(7))
    await wallet.changeAccount(8)
    await textOf(page, shown(8))
    await page.context().close()
  })

  it('gives the commands to a browser without a wallet', async () => {
    const page = await pages.open()
    await page.goto('/bridge')
    await textOf(page, /This browser has no wallet[\s\S]*keelson bridge deposit --devnet \S+ --amount 0\.5/)
    await page.locator('#bridge-amount').fill('1.5')
    await textOf(page, /keelson bridge deposit --devnet \S+ --amount 1\.5/)
    assert.equal(await page.getByRole('button', { name: 'Deposit', exact: true }).count(), 0)
    await page.context().close()
  })
})
