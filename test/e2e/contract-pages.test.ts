/** A visitor verifies a contract on the explorer's pages, and the explorer then decodes what it does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { findChromium } from '../support/browser/find-chromium.ts'
import { DARK, DESKTOP, type OpenedPages, openPages, PHONE, seriousFindings } from '../support/browser/open-pages.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const chromium = findChromium()
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'vault')
const source = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
const word = (value: bigint | Hex) => BigInt(value).toString(16).padStart(64, '0')
const VAULT = parseAbi(['function store(uint256 amount, string note)'])
const LIMIT = 1_000n

describe(`the pages of a contract${chromium === null ? ', not tested because no Chromium is installed' : ` in ${chromium.version}`}`, () => {
  if (chromium === null) return
  let devnet: DevnetProcess
  let url: string
  let pages: OpenedPages
  let chain: Awaited<ReturnType<typeof deployContracts>>
  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, withServices('web', 'index'))
    url = devnet.facts.services.web
    chain = await deployContracts(devnet)
    pages = await openPages(chromium, url)
    const indexed = async () => (await (await fetch(`${url}/api/index/addresses/${chain.proxy}`)).json()) as { created: object | null }
    await eventually('the index having the contracts', async () => (await indexed()).created)
  })
  afterEach(() => assert.deepEqual(pages.offences, []))
  after(async () => {
    await pages?.close()
    await devnet?.remove()
  })

  const textOf = (page: Page, pattern: RegExp) =>
    eventually(`${pattern} on ${page.url()}`, async () => pattern.test((await page.locator('main').textContent()) ?? ''))
  const chooseSources = async (page: Page, vault = source('Vault.sol')) => {
    await textOf(page, /Verify the source[\s\S]*0\.8\.37[\s\S]*At most 1\.05 MB/)
    const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.locator('#upload-files').setInputFiles([fileOf('Vault.sol', vault), fileOf('Sums.sol', source('lib/Sums.sol'))])
    await page.getByLabel('Path of file 2').fill('lib/Sums.sol')
    await page.getByLabel('Optimizer').check()
    await page.locator('#upload-contract').selectOption('Vault.sol:Vault')
  }
  const visited = () =>
    [
      [`/address/${chain.vault}?tab=contract`, /exact match[\s\S]*limit_[\s\S]*Functions/],
      [`/address/${chain.proxy}?tab=contract`, /which is Vault[\s\S]*Verify the source[\s\S]*Functions of the implementation/],
      [`/tx/${chain.stored}`, /note string/],
    ] as const

  it('say in the words of the index why a source is refused, and let the visitor try again', async () => {
    const page = await pages.open()
    await page.goto(`/address/${chain.vault}?tab=contract`)
    await chooseSources(page, source('Vault.sol').replace('amount > limit', 'amount >= limit'))
    await page.locator('#upload-compiler').fill('0.7.6')
    await page.getByRole('button', { name: 'Compile and compare' }).click()
    await textOf(
      page,
      /Not verified[\s\S]*0\.7\.6.{0,1}, and this service has no such compiler[\s\S]*Expected: compilerVersion: a release of solc from 0\.8\.0 to 0\.8\.37/,
    )
    await page.locator('#upload-compiler').fill('0.8.37')
    let send: () => void = () => undefined
    const isShown = new Promise<void>((resolve) => {
      send = resolve
    })
    await page.route(/\/verify$/, (route) => isShown.then(() => route.continue()))
    await page.getByRole('button', { name: 'Compile and compare' }).click()
    await textOf(page, /One contract is compiled at a time/)
    send()
    await textOf(page, /Not verified[\s\S]*differs from the code on chain \(\d+ bytes\) from byte \d+/)
    const large = { name: 'Large.sol', mimeType: 'text/plain', buffer: Buffer.alloc(1_200_000, 32) }
    await page.locator('#upload-files').setInputFiles([large])
    await textOf(page, /Too much to send: 1\.2 MB/)
    await page.context().close()
  })

  it('verify two files, and show their source, the found constructor arguments and the ABI', async () => {
    const page = await pages.open()
    await page.goto(`/address/${chain.vault}?tab=contract`)
    await chooseSources(page)
    await page.getByRole('button', { name: 'Compile and compare' }).click()
    await textOf(page, /Verified exact match[\s\S]*limit_\s*uint256\s*1,000[\s\S]*contract Vault/)
    await page.getByRole('button', { name: 'lib/Sums.sol' }).click()
    await textOf(page, /library Sums/)
    await page.context().close()
  })

  it('read and write through the functions of the ABI, also behind a proxy', async () => {
    const page = await pages.open()
    await page.exposeFunction('askWallet', (call: { method: string; params?: unknown[] }) => chain.wallet(call))
    await page.addInitScript('window.ethereum = { request: (call) => window.askWallet(call) }')
    for (const address of [chain.vault, chain.proxy]) {
      await page.goto(`/address/${address}?tab=contract`)
      const card = page.locator('.functions')
      const form = (name: string) => card.locator('details', { hasText: new RegExp(`^${name}\\(`) })
      await form('store').locator('summary').click()
      await form('store').getByLabel('amount').fill('2000')
      await form('store').locator('button[type=submit]').click()
      await textOf(page, /Reverted: TooMuch\(asked: 2,000, most: 1,000\)/)
      await form('store').getByLabel('amount').fill('70')
      await form('store').getByLabel('note').fill('by wallet')
      await form('store').locator('button[type=submit]').click()
      await textOf(page, /Sent: 0x/)
      await form('total').locator('summary').click()
      await eventually('the new total', async () => {
        await form('total').locator('button[type=submit]').click()
        return /77/.test((await form('total').locator('.call-result').textContent()) ?? '')
      })
    }
    await page.context().close()
  })

  it('decode calls, events and errors of the contract on the page of a transaction', async () => {
    const page = await pages.open()
    for (const hash of [chain.stored, chain.storedByProxy]) {
      await page.goto(`/tx/${hash}`)
      await textOf(page, /Call\s*store[\s\S]*note string\s*<b>first<\/b>[\s\S]*Events[\s\S]*Stored[\s\S]*amount uint256\s*7/)
    }
    await page.goto(`/tx/${chain.refused}`)
    await textOf(page, /Why it failed\s*TooMuch\(asked: 5,000, most: 1,000\)/)
    await page.goto(`/address/${chain.sender}`)
    await textOf(page, /store/)
    await page.context().close()
  })

  it('find why a transaction failed although the node was busy when first asked', async () => {
    const page = await pages.open()
    let asked = 0
    await page.route('**/rpc/l2', async (route) => {
      const { id, method } = route.request().postDataJSON() as { id?: number; method?: string }
      if (method !== 'debug_traceTransaction' || ++asked > 1) return route.continue()
      await route.fulfill({ json: { jsonrpc: '2.0', id, error: { code: -32000, message: 'busy' } } })
    })
    await page.goto(`/tx/${chain.refused}`)
    await textOf(page, /Why it failed\s*TooMuch\(asked: 5,000, most: 1,000\)/)
    assert.equal(asked, 2)
    await page.context().close()
  })

  it('shut nobody out and fit the width of a phone', async () => {
    for (const view of [DESKTOP, DARK, PHONE]) {
      const page = await pages.open(view)
      for (const [path, content] of visited()) {
        await page.goto(path)
        await textOf(page, content)
        assert.deepEqual(await seriousFindings(page), [], `${path}, ${view.theme}, ${view.width}`)
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= view.width, `${path} at ${view.width}`)
      }
      await page.context().close()
    }
  })
})

async function deployContracts({ facts }: DevnetProcess) {
  const network = defineChain({
    id: facts.l2.chainId,
    name: 'Keelson devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [facts.l2.rpcUrl] } },
  })
  const account = privateKeyToAccount(facts.accounts[2]?.privateKey as Hex)
  const wallet = createWalletClient({ chain: network, transport: http(), account })
  const client = createPublicClient({ chain: network, transport: http(), pollingInterval: 200 })
  const receiptOf = (hash: Hex) => client.waitForTransactionReceipt({ hash, timeout: 240_000 })
  const deploy = async (data: Hex) => (await receiptOf(await wallet.sendTransaction({ data }))).contractAddress as Hex
  const settings = { optimizer: { enabled: true, runs: 200 }, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } }
  const codeOf = (files: readonly string[], name: string): Hex => {
    const sources = Object.fromEntries(files.map((file) => [file, { content: source(file) }]))
    const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
    return `0x${output.contracts[`${name}.sol`][name].evm.bytecode.object}`
  }
  const vault = await deploy(`${codeOf(['Vault.sol', 'lib/Sums.sol'], 'Vault')}${word(LIMIT)}`)
  // The limit is in the code of the vault, the total in the storage of the proxy.
  const proxy = await deploy(`${codeOf(['Proxy.sol'], 'Proxy')}${word(vault)}`)
  const store = async (to: Hex, amount: bigint) => {
    const data = encodeFunctionData({ abi: VAULT, args: [amount, '<b>first</b>'] })
    const hash = await wallet.sendTransaction({ to, data, gas: 200_000n })
    await receiptOf(hash)
    return hash
  }
  return {
    vault,
    proxy,
    sender: account.address.toLowerCase(),
    stored: await store(vault, 7n),
    storedByProxy: await store(proxy, 7n),
    refused: await store(vault, 5_000n),
    /** What a wallet in the browser would answer. */
    async wallet({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown> {
      if (method === 'eth_requestAccounts') return [account.address]
      if (method === 'eth_chainId') return `0x${facts.l2.chainId.toString(16)}`
      const { to, data } = params[0] as { to: Hex; data: Hex }
      assert.equal(method, 'eth_sendTransaction')
      return wallet.sendTransaction({ to, data })
    },
  }
}
