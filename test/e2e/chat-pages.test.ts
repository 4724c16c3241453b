import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { findChromium } from '../support/browser/find-chromium.ts'
import { DARK, DESKTOP, type OpenedPages, openPages, PHONE, seriousFindings, type View } from '../support/browser/open-pages.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { PLATFORM_START_MS } from '../support/platform/platform-fleet.ts'

const chromium = findChromium()
const PASSWORD = 'correct horse battery'
const newEmail = () => `${randomBytes(6).toString('hex')}@example.org`

describe(`the chat of the development network${chromium === null ? ', which needs a browser: no Chromium is installed' : ` in ${chromium.version}`}`, () => {
  if (chromium === null) return
  let devnet: DevnetProcess
  let pages: OpenedPages
  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), (await claimE2ePorts()).offset, withServices('web', 'platform'))
    const { web } = devnet.facts.services
    await eventually('the pages being served', async () => (await fetch(web)).ok)
    await eventually('the platform', async () => (await fetch(`${web}/api/platform/health`)).ok, PLATFORM_START_MS)
    pages = await openPages(chromium, web)
  })
  afterEach(() => assert.deepEqual(pages.offences, []))
  after(async () => {
    await pages?.close()
    await devnet?.remove()
  })

  const sees = (page: Page, pattern: RegExp) =>
    eventually(`${pattern} on ${page.url()}`, async () => pattern.test((await page.locator('main').textContent()) ?? ''))
  /** The status names an answer only when it is complete. */
  const hears = (page: Page, pattern: RegExp) =>
    eventually(`${pattern} in the status of ${page.url()}`, async () =>
      pattern.test((await page.locator('div[role=status]').first().textContent()) ?? ''),
    )
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
  const say = async (page: Page, text: string) => {
    await page.locator('#chat-text').fill(text)
    // Possible when the answer before is complete.
    await press(page, 'Send')
  }
  async function signUp(view: View = DESKTOP, email = newEmail(), opened?: Page): Promise<Page> {
    const page = opened ?? (await pages.open(view))
    await page.goto('/chat')
    await press(page, 'I am new here')
    await page.locator('#login-email').fill(email)
    await page.locator('#login-password').fill(PASSWORD)
    await press(page, 'Sign up')
    await sees(page, /What do you want to know/)
    return page
  }
  const dollarsOfWallet = async () => {
    const { accounts, contracts, l2 } = devnet.facts
    const data = `0x70a08231${accounts[9]?.address.slice(2).padStart(64, '0')}`
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: contracts.TestDollar, data }, 'latest'] }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(l2.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) })
    return BigInt(((await answer.json()) as { result: string }).result)
  }

  it('says in plain words why it lets nobody in', async () => {
    const page = await pages.open()
    await page.goto('/chat')
    await page.locator('#login-email').fill(newEmail())
    await page.locator('#login-password').fill('not the password')
    await page.locator('button[type=submit]').click()
    await sees(page, /Incorrect email or password/)
    await page.context().close()
  })

  it('answers with its source, and keeps conversation and login over a reload but not for another tab', async () => {
    const email = newEmail()
    const page = await signUp(DESKTOP, email)
    await say(page, 'What is the price of ETH?')
    await sees(page, /1 ETH = [\d.]+ USD[\s\S]*Source:/)
    assert.match(page.url(), /\?c=/)
    await page.reload()
    await sees(page, /1 ETH = [\d.]+ USD[\s\S]*Source:/)
    assert.equal(await page.locator('.conversations li').count(), 1)
    assert.equal(await page.evaluate('localStorage.getItem("account")'), null)
    const other = await page.context().newPage()
    await other.goto('/chat')
    await sees(other, /I have an account/)
    await other.locator('#login-email').fill(email)
    await other.locator('#login-password').fill(PASSWORD)
    await other.locator('button[type=submit]').click()
    await eventually('the conversation', async () => (await other.locator('.conversations li').count()) === 1)
    await press(page, 'Log out')
    await sees(page, /I have an account/)
    await page.context().close()
  })

  it('shows the whole answer after a reload in the middle of it', async () => {
    const page = await signUp()
    const begun = page.waitForResponse(/chat\/stream$/)
    await say(page, 'What can you do?')
    await begun
    await page.reload()
    await sees(page, /The assistant:[\s\S]*price/)
    await page.context().close()
  })

  it('shows the answer that ends between the reading of the messages and the request to follow it', async () => {
    const page = await signUp()
    await say(page, 'What can you do?')
    await hears(page, /price/)
    let reads = 0
    await page.route(/chatbot\/messages$/, async (route) => {
      const response = await route.fetch()
      const { messages } = (await response.json()) as { messages: unknown[] }
      reads++
      await route.fulfill({ response, json: { messages: reads === 1 ? messages.slice(0, -1) : messages } })
    })
    await page.reload()
    await sees(page, /The assistant:[\s\S]*price/)
    assert.equal(reads, 2)
    await page.context().close()
  })

  it('answers a question that was asked before the list of conversations arrived', async () => {
    let send: () => void = () => undefined
    const isAnswered = new Promise<void>((resolve) => {
      send = resolve
    })
    const older = { session_id: '00000000-0000-4000-8000-000000000000', name: 'An older one', token: { access_token: 'none' } }
    const page = await pages.open()
    await page.route(/auth\/sessions$/, (route) => isAnswered.then(() => route.fulfill({ json: [older] })))
    await signUp(DESKTOP, newEmail(), page)
    await say(page, 'What can you do?')
    await hears(page, /price/)
    send()
    await eventually('both conversations', async () => (await page.locator('.conversations li').count()) === 2)
    await sees(page, /The assistant:[\s\S]*price/)
    await page.context().close()
  })

  it('shows a conversation although the platform was busy when first asked', async () => {
    const page = await signUp()
    await say(page, 'What can you do?')
    await hears(page, /price/)
    for (const path of [/auth\/sessions$/, /chatbot\/messages$/])
      await page.route(path, (route) => route.fulfill({ status: 503, json: { detail: 'busy' } }), { times: 1 })
    await page.reload()
    await sees(page, /The assistant:[\s\S]*price/)
    await page.context().close()
  })

  it('shows what is typed as text, and makes nothing of it', async () => {
    const page = await signUp()
    await say(page, '<img src=x onerror="document.title=1"> **price** of ETH')
    await sees(page, /<img src=x[\s\S]*The assistant:/)
    assert.equal(await page.locator('main img').count(), 0)
    await page.context().close()
  })

  it('trades only what is confirmed, once, and shows what came of it', async () => {
    const page = await signUp()
    const before = await dollarsOfWallet()
    await say(page, 'Swap 0.1 ETH for testUSD')
    await sees(page, /Swap 0\.1 ETH for testUSD\?[\s\S]*You get about[\s\S]*risk low[\s\S]*valid for \d+ s/)
    await press(page, 'Cancel')
    await sees(page, /Nothing was traded\./)
    assert.equal(await dollarsOfWallet(), before)
    await say(page, 'Swap 0.2 ETH for testUSD')
    await press(page, 'Confirm the swap')
    await sees(page, /Swap of 0\.2 ETH for testUSD done[\s\S]*Transaction 0x/)
    const after = await dollarsOfWallet()
    assert.ok(after > before)
    await page.reload()
    await sees(page, /Swap of 0\.2 ETH for testUSD done/)
    assert.equal(await page.getByRole('button', { name: 'Confirm the swap' }).count(), 0)
    assert.equal(await dollarsOfWallet(), after)
    await page.goto('/agents?tab=portfolio')
    await sees(page, /Trades confirmed in this tab[\s\S]*0\.2 ETH for testUSD[\s\S]*success[\s\S]*testUSDtrading/)
    await page.context().close()
  })

  it('refuses a swap beyond what the wallet may trade in the words of the platform', async () => {
    const page = await signUp()
    await say(page, 'Swap 5 ETH for testUSD')
    await press(page, 'Confirm the swap')
    await sees(page, /Swap of 5 ETH for testUSD refused[\s\S]*10000/)
    await page.context().close()
  })

  it('lists the tools with their arguments, more of them to an account, and the tasks of the chain', async () => {
    const page = await pages.open()
    await page.goto('/agents')
    await sees(page, /those that need no conversation[\s\S]*block_latest[\s\S]*Name or id of a configured chain/)
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /moves money/)
    await page.goto('/agents?tab=tasks')
    await sees(page, /0 tasks[\s\S]*Nobody has created a task/)
    await page.context().close()
    const known = await signUp()
    await say(known, 'What can you do?')
    await sees(known, /The assistant:/)
    await known.goto('/agents')
    await sees(known, /of your conversations[\s\S]*swap_execute[\s\S]*moves money/)
    await known.context().close()
  })

  it('shuts nobody out: no serious finding of axe, light, dark and on a phone', async () => {
    for (const view of [DESKTOP, DARK, PHONE]) {
      const fits = async (page: Page, what: string) => {
        assert.deepEqual(await seriousFindings(page), [], `${what}, ${view.theme}, ${view.width}`)
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= view.width, what)
      }
      const stranger = await pages.open(view)
      await stranger.goto('/chat')
      await sees(stranger, /I have an account/)
      await fits(stranger, 'login')
      await stranger.context().close()
      const page = await signUp(view)
      await fits(page, 'an empty chat')
      await say(page, 'Swap 0.1 ETH for testUSD')
      await sees(page, /valid for \d+ s|the quote has expired/)
      await sees(page, /Later, leave quote_id out/)
      await fits(page, 'a card')
      for (const [path, content] of [
        ['/agents', /swap_execute/],
        ['/agents?tab=portfolio', /Wallets that you may trade with/],
        ['/agents?tab=tasks', /Nobody has created a task/],
      ] as const) {
        await page.goto(path)
        await sees(page, content)
        await fits(page, path)
      }
      await page.context().close()
    }
  })

  it('can be used with the keyboard alone, and tells a screen reader the whole answer', async () => {
    const page = await signUp()
    await eventually('the text field being focused', async () => (await page.evaluate('document.activeElement?.id')) === 'chat-text')
    await page.keyboard.type('What is the price of ETH?')
    await page.keyboard.press('Enter')
    await hears(page, /Source:/)
    await page.context().close()
  })

  it('has a description of the API that can be tried with a login, and asks no other host', async () => {
    const { platform } = devnet.facts.services
    const api = async <T>(path: string, init: RequestInit) =>
      (await (await fetch(platform + path, { method: 'POST', ...init })).json()) as T
    const body = JSON.stringify({ email: newEmail(), password: PASSWORD })
    const user = await api<{ token: { access_token: string } }>('/api/v1/auth/register', {
      headers: { 'content-type': 'application/json' },
      body,
    })
    const headers = { authorization: `Bearer ${user.token.access_token}` }
    const session = await api<{ token: { access_token: string } }>('/api/v1/auth/session', { headers })
    const docs = await openPages(chromium, platform)
    try {
      const page = await docs.open()
      await page.goto('/docs')
      await page.locator('.opblock').first().waitFor({ timeout: PLATFORM_START_MS })
      await page.locator('.btn.authorize').first().click()
      await page.locator('.modal-ux input').last().fill(session.token.access_token)
      await page.locator('.modal-ux button.authorize').last().click()
      await page.locator('.modal-ux .btn-done').first().click()
      const operation = page.locator('.opblock', { hasText: '/api/v1/multi-agent/chains' })
      await operation.locator('button').first().click()
      await operation.locator('.try-out__btn').click()
      await operation.locator('.execute').click()
      await eventually('an answer', async () =>
        /200[\s\S]*"chain_id"/.test((await operation.locator('.live-responses-table').textContent()) ?? ''),
      )
      assert.deepEqual(docs.offences, [])
    } finally {
      await docs.close()
    }
  })
})
