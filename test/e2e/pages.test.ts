import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { createPublicClient, createWalletClient, defineChain, type Hex, http, keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compileSolidity } from '../../scripts/solidity.ts'
import { findChromium } from '../support/browser/find-chromium.ts'
import { injectWallet } from '../support/browser/inject-wallet.ts'
import { DARK, DESKTOP, type OpenedPages, openPages, PHONE, seriousFindings } from '../support/browser/open-pages.ts'
import { SITE_KEY, startCaptchaFaucet } from '../support/captcha-faucet.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'

const { offset: PORT_OFFSET, spare: SPARE_PORT } = await claimE2ePorts()
const chromium = findChromium()
const HOSTILE = join(import.meta.dirname, '..', 'fixtures', 'hostile-token')
const FAIL = '0xa9cc4718'
/** In place of the provider's script: a widget with its interface, which is solved by a button. */
const WIDGET = `
  window.turnstile = {
    render(place, { sitekey, callback }) {
      for (const [name, token] of [['Wrong answer for ' + sitekey, 'guessed'], ['Right answer', 'solved']]) {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = name
        button.onclick = () => callback(token)
        place.append(button)
      }
      return 'widget'
    },
    remove() {},
  }
  keelsonCaptchaReady()`

const HASH = '0123abcd'
const RECORDING = [
  { format: 'keelson-simulation', version: 1, seed: 7, about: '', days: 0.1, transactionsPerSec: 1, everyMs: 2_000 },
  {
    t: 0,
    machines: { 0: { name: 'sequencer', roles: ['consensus'] } },
    nodes: { 0: { processes: ['running'], unsafe: [3, HASH], safe: [2, HASH], finalized: [0, HASH] } },
    l1: [1, HASH, 0, 0, 0],
    counters: [0, 0, 0],
  },
  {
    t: 2_000,
    nodes: { 0: { power: false } },
    faults: [{ atMs: 1_500, durationMs: 3_000, kind: 'power', victim: 'sequencer', text: 'sequencer loses power' }],
    violations: [{ atMs: 1_900, rule: 'safe blocks stay', text: 'block 2 was replaced' }],
  },
  { t: 4_000, cuts: [] },
]

describe(`the pages of the development network${chromium === null ? ', without a browser because no Chromium is installed' : ` in ${chromium.version}`}`, () => {
  let devnet: DevnetProcess
  let url: string
  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET)
    url = devnet.facts.services.web
    await eventually('the pages being served', async () => (await fetch(url)).ok)
    await eventually('the index following', async () => (await fetch(`${url}/api/index/blocks`)).ok)
  })
  after(() => devnet?.remove())

  it('are served with the facts of the network and pass requests on', async () => {
    const config = (await (await fetch(`${url}/config.json`)).json()) as {
      l2: { chainId: number }
      contracts: { l2: Record<string, string> }
    }
    assert.equal(config.l2.chainId, devnet.facts.l2.chainId)
    assert.equal(config.contracts.l2.TestDollar, devnet.facts.contracts.TestDollar)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const answer = await fetch(`${url}/rpc/l2`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    assert.equal(Number(((await answer.json()) as { result: string }).result), devnet.facts.l2.chainId)
    assert.match(await (await fetch(`${url}/explorer`)).text(), /<div id="root">/)
    const heads = await eventually(
      'heads',
      async () => ((await (await fetch(`${url}/api/network/heads`)).json()) as { heads: object | null }).heads,
    )
    assert.ok(Object.keys(heads).includes('safe'))
  })

  if (chromium === null) return

  describe('in a browser', () => {
    let pages: OpenedPages
    let sent: { readonly transfer: Hex; readonly failed: Hex; readonly token: Hex; readonly sender: Hex; readonly block: number }
    before(async () => {
      sent = await sendTransactions(devnet)
      pages = await openPages(chromium, url)
      await eventually('the index having the token', async () => (await fetch(`${url}/api/index/tokens/${sent.token}`)).ok)
    })
    afterEach(() => assert.deepEqual(pages.offences, []))
    after(() => pages?.close())

    const textOf = (page: Page, pattern: RegExp) =>
      eventually(`${pattern} on ${page.url()}`, async () => pattern.test((await page.locator('main').textContent()) ?? ''))
    const visited = () =>
      [
        ['/', /Latest blocks[\s\S]*gas/],
        ['/explorer', /Base fee/],
        ['/explorer?tab=transactions&show=all', /L1 information/],
        ['/explorer?tab=tokens', /ERC-20/],
        ['/explorer?tab=contracts', /UniswapV2Router02/],
        ['/explorer?tab=batches', /blob/],
        ['/explorer?tab=pool', /pool/i],
        ['/explorer?tab=gas', /next block/],
        [`/block/${sent.block}`, /State root/],
        [`/tx/${sent.transfer}`, /Paid in all/],
        [`/tx/${sent.failed}`, /Why it failed/],
        [`/address/${sent.sender}`, /Transactions sent/],
        [`/token/${sent.token}`, /Supply/],
        ['/bridge', /From L1 to L2[\s\S]*keelson bridge deposit --devnet \S+ --amount/],
        ['/bridge?tab=withdraw', /From L2 to L1[\s\S]*bridge finalize --devnet \S+ HASH/],
        ['/validators', /The set[\s\S]*active[\s\S]*Rules[\s\S]*duties/],
        ['/network', /validator[\s\S]*Incidents/],
        ['/faucet', /Pays 10 ETH/],
        ['/search?q=test', /TestDollar/],
        ['/simulation', /Open a recording/],
        ['/nothing/here', /There is no page here/],
      ] as const

    it('show a chain that grows without reloading', async () => {
      const page = await pages.open()
      await page.goto('/')
      const unsafe = async () => Number((await page.locator('.picture-head.is-unsafe strong').textContent())?.replace(/\D/g, ''))
      const first = await eventually('a first height', unsafe)
      await eventually('a higher one', async () => (await unsafe()) > first)
      await eventually('the blocks of the picture', async () => (await page.locator('.picture-block').count()) > 1)
      await page.context().close()
    })

    it('lead from the search box to a block, an address and a transaction, whatever is typed', async () => {
      const page = await pages.open()
      await page.goto('/')
      await textOf(page, /Latest blocks/)
      for (const [typed, heading] of [
        [String(sent.block), /^Block /],
        [sent.sender, /^Account/],
        [sent.transfer, /^Transaction/],
        ['testusd', /^Search/],
      ] as const) {
        await page.keyboard.press('/')
        await page.keyboard.type(typed)
        await page.keyboard.press('Enter')
        await eventually(`the page of ${typed}`, async () => heading.test((await page.locator('h1').textContent()) ?? ''))
      }
      await page.context().close()
    })

    it('play the recording of a simulation, and name the line of a file that is none', async () => {
      const page = await pages.open()
      await page.goto('/simulation')
      const open = (lines: readonly object[]) =>
        page.getByLabel('Open a recording').setInputFiles({
          name: 'run.jsonl',
          mimeType: 'text/plain',
          buffer: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
        })
      await open([{ seed: 7 }])
      await textOf(page, /cannot be played. Line 1: expected a recording/)
      await open(RECORDING)
      await textOf(page, /seed 7, faults: 1, violations: 1/)
      const now = () => page.locator('.sim-legend strong').textContent()
      await page.locator('.sim-story button').first().click()
      assert.equal(await now(), '00:00:02')
      await textOf(page, /no power[\s\S]*safe blocks stay/)
      await page.locator('h1').click()
      await page.keyboard.press('ArrowRight')
      assert.equal(await now(), '00:00:04')
      assert.match((await page.getByRole('status').allTextContents()).join(), /^(?!.*cannot be played)/)
      assert.deepEqual(await seriousFindings(page), [])
      await page.context().close()
    })

    it('say what a transaction did, what it cost, and why one failed', async () => {
      const page = await pages.open()
      await page.goto(`/tx/${sent.transfer}`)
      await textOf(page, /success[\s\S]*1\.25 ETH[\s\S]*For data on L1/)
      await textOf(page, /Carried to L1 by\s*0x[\s\S]*in L1 block/)
      await page.goto(`/tx/${sent.failed}`)
      await textOf(page, /failed[\s\S]*Why it failed\s*<script>document\.title=1<\/script>/)
      await page.context().close()
    })

    it('show a transaction in the block that is still open, and then in the sealed block, without reloading', async () => {
      const page = await pages.open()
      const { wallet } = clientsOf(devnet)
      const wasOpen = await eventually('a transaction in an open block', async () => {
        const raw = await wallet.signTransaction(await wallet.prepareTransactionRequest({ to: sent.sender, value: 1n }))
        await page.goto(`/tx/${keccak256(raw)}`)
        await textOf(page, /This transaction is not here/)
        await wallet.sendRawTransaction({ serializedTransaction: raw })
        const shown = page.locator('h1 .badge', { hasText: /in the block that is being built|unsafe/ })
        await shown.first().waitFor()
        return /success.*in the block that is being built/.test((await page.locator('h1').textContent()) ?? '')
      })
      assert.ok(wasOpen)
      await textOf(page, /success\s+unsafe[\s\S]*at position 1/)
      await page.context().close()
    })

    it('show the words of a hostile contract as text', async () => {
      const page = await pages.open()
      for (const path of [`/token/${sent.token}`, '/explorer?tab=tokens', `/address/${sent.sender}?tab=tokens`, `/tx/${sent.failed}`]) {
        await page.goto(path)
        await textOf(page, /<img src=x|<script>/)
        assert.equal(await page.locator('main img, main script').count(), 0)
        assert.notEqual(await page.title(), '1')
      }
      await page.context().close()
    })

    it('shut nobody out: no serious finding of axe, light or dark', async () => {
      for (const view of [DESKTOP, DARK]) {
        const page = await pages.open(view)
        for (const [path, content] of visited()) {
          await page.goto(path)
          await textOf(page, content)
          assert.deepEqual(await seriousFindings(page), [], `${path}, ${view.theme}`)
        }
        await page.context().close()
      }
    })

    it('fit the width of a phone', async () => {
      const page = await pages.open(PHONE)
      for (const [path, content] of visited()) {
        await page.goto(path)
        await textOf(page, content)
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= PHONE.width, path)
      }
      await page.context().close()
    })

    it('pay from the faucet once, and repeat its refusal of a second claim in its own words', async () => {
      const page = await pages.open()
      await page.goto('/faucet')
      const claim = async (address: string) => {
        await page.locator('#faucet-address').fill(address)
        await page.locator('button[type=submit]').click()
      }
      await claim('0x00000000000000000000000000000000000000aa')
      await textOf(page, /The faucet refused:/)
      const address = `0x${'c0ffee'.repeat(7).slice(0, 40)}`
      await claim(address)
      await textOf(page, /10 ETH on the way/)
      await textOf(page, /Balance\s*10 ETH/)
      await claim(address)
      await textOf(page, /The faucet refused:[\s\S]*Next claim/)
      const body = JSON.stringify({ address })
      const headers = { 'content-type': 'application/json' }
      const refusal = (await (await fetch(`${devnet.facts.services.faucet}/api/claim`, { method: 'POST', headers, body })).json()) as {
        error: string
      }
      assert.ok((await page.locator('[role=status].is-bad').textContent())?.includes(refusal.error.slice(0, 30)))
      await page.context().close()
    })

    it('wait for a payment of the faucet that is under way', async () => {
      const page = await pages.open()
      await page.route(
        /api\/faucet\/claim$/,
        async (route) => {
          await route.fetch()
          await route.fulfill({ status: 503, json: { success: false, code: 'under-way', error: 'it will be paid' } })
        },
        { times: 1 },
      )
      await page.goto('/faucet')
      await page.locator('#faucet-address').fill(`0x${'decade'.repeat(7).slice(0, 40)}`)
      await page.locator('button[type=submit]').click()
      await textOf(page, /10 ETH on the way/)
      await page.context().close()
    })

    it('raise the tier of an address whose owner signs in and signs, and take applications', async () => {
      const page = await pages.open()
      const wallet = await injectWallet(page, devnet, 4)
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      await page.goto('/faucet')
      await textOf(page, /anonymous[\s\S]*1 in 24 h[\s\S]*verified[\s\S]*5 in 12 h[\s\S]*developer[\s\S]*10 in 24 h/)
      await press('Connect a wallet for a higher tier')
      await page.getByText('Become verified as').click()
      await press('Link an account')
      const opened = page.context().waitForEvent('page')
      await page.getByRole('link', { name: 'Sign in' }).click()
      const signIn = await opened
      await signIn.locator('input[name=login]').fill('newcomer')
      await signIn.locator('button').click()
      await signIn.waitForURL(/\/api\/verify\/callback/)
      await page.locator('#faucet-code').fill((await signIn.locator('p').nth(1).textContent()) ?? '')
      wallet.pretend('personal_sign', '<img src=x>')
      await press('Sign and link')
      await textOf(page, /gave no signature/)
      wallet.reject('personal_sign')
      await press('Sign and link')
      await textOf(page, /Rejected in the wallet/)
      wallet.honest()
      assert.deepEqual(await seriousFindings(page), [])
      await press('Sign and link')
      await textOf(page, /its tier is verified/)
      await page.locator('#faucet-address').fill(wallet.address)
      await textOf(page, /5 of 5 in 12 h, as an address of tier verified/)
      await page.getByText('Apply as developer with').click()
      await page.locator('#faucet-contact').fill('newcomer@example.org')
      await page.locator('#faucet-project').fill('a game')
      await press('Sign and apply')
      await textOf(page, /waits for the operator/)
      await page.context().close()
    })

    it('send the answer to the captcha of a faucet that asks for one', async () => {
      const faucet = await startCaptchaFaucet(devnet, SPARE_PORT, 'solved')
      const visited = await openPages(chromium, faucet.url)
      try {
        const page = await visited.open()
        await page.route(/^https:\/\/challenges\.cloudflare\.com\//, (route) =>
          route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
        )
        await page.goto('/faucet')
        await page.locator('#faucet-address').fill(`0x${'facade'.repeat(7).slice(0, 40)}`)
        const ask = page.getByRole('button', { name: 'Ask for coins' })
        await page.getByRole('button', { name: `Wrong answer for ${SITE_KEY}` }).waitFor()
        assert.equal(await ask.isDisabled(), true)
        await page.getByRole('button', { name: 'Wrong answer' }).click()
        await ask.click()
        await textOf(page, /The faucet refused: the captcha failed/)
        await page.getByRole('button', { name: 'Right answer' }).click()
        await ask.click()
        await textOf(page, /10 ETH on the way/)
        assert.deepEqual(faucet.verified, ['guessed', 'solved'])
        assert.deepEqual(visited.offences, [
          'request to https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit&onload=keelsonCaptchaReady',
        ])
      } finally {
        await visited.close()
        await faucet.stop()
      }
    })

    it('can be used with the keyboard alone, and remember the chosen theme', async () => {
      const page = await pages.open()
      await page.goto('/')
      await textOf(page, /Latest blocks/)
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate<unknown>('document.activeElement?.textContent'), 'Skip to the content')
      await page.locator('button[aria-label="Use the dark theme"]').press('Enter')
      await page.reload()
      await eventually('the dark theme', async () => (await page.evaluate<unknown>('document.documentElement.dataset.theme')) === 'dark')
      await page.context().close()
    })
  })
})

function clientsOf({ facts }: DevnetProcess) {
  const chain = defineChain({
    id: facts.l2.chainId,
    name: 'Keelson devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [facts.l2.rpcUrl] } },
  })
  const account = privateKeyToAccount(facts.accounts[0]?.privateKey as Hex)
  const wallet = createWalletClient({ chain, transport: http(), account })
  return { account, wallet, client: createPublicClient({ chain, transport: http(), pollingInterval: 200 }) }
}

async function sendTransactions(devnet: DevnetProcess) {
  const { facts } = devnet
  const { account, wallet, client } = clientsOf(devnet)
  const receiptOf = (hash: Hex) => client.waitForTransactionReceipt({ hash, timeout: 240_000 })
  const { contracts } = compileSolidity<{ readonly evm: { readonly bytecode: { readonly object: string } } }>({
    folder: HOSTILE,
    evmVersion: 'cancun',
    outputs: ['evm.bytecode.object'],
  })
  const code = contracts['HostileToken.sol']?.HostileToken?.evm.bytecode.object
  const transfer = await wallet.sendTransaction({ to: facts.accounts[1]?.address as Hex, value: parseEther('1.25') })
  const { contractAddress } = await receiptOf(await wallet.deployContract({ abi: [], bytecode: `0x${code}` }))
  const token = contractAddress as Hex
  const failed = await wallet.sendTransaction({ to: token, data: FAIL, gas: 100_000n })
  await receiptOf(failed)
  return { transfer, failed, token, sender: account.address, block: Number((await receiptOf(transfer)).blockNumber) }
}
