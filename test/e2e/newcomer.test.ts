import { findChromium } from '../support/browser/find-chromium.ts'
import { type OpenedPages, openPages } from '../support/browser/open-pages.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const chromium = findChromium()
const NEWCOMER = `0x${'5eed'.repeat(10)}`
const STEP_MS = 240_000

describe(`a newcomer${chromium === null ? ', not followed because no Chromium is installed' : ''}`, () => {
  if (chromium === null) return
  let devnet: DevnetProcess | undefined
  let pages: OpenedPages | undefined
  after(async () => {
    await pages?.close()
    await devnet?.remove()
  })

  it('sees a first transaction in the explorer after one command and one form', async () => {
    const started = performance.now()
    const times: string[] = []
    const reached = (what: string) => times.push(`${what} after ${((performance.now() - started) / 1000).toFixed(1)} s`)
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET)
    reached('network ready')
    const { web } = devnet.facts.services
    // Services start after the chain.
    await eventually('the pages being served', async () => (await fetch(web)).ok)
    reached('pages served')
    pages = await openPages(chromium, web)
    const page = await pages.open()
    page.setDefaultTimeout(STEP_MS)
    await page.goto('/')
    await page.getByRole('navigation').getByRole('link', { name: 'Faucet' }).click()
    await page.locator('#faucet-address').fill(NEWCOMER)
    reached('form filled in')
    await page.getByRole('button', { name: 'Ask for coins' }).click()
    const answer = page.getByRole('status').filter({ hasText: /10 ETH on the way/ })
    await answer.waitFor()
    reached('claim paid')
    await answer.getByRole('link').click()
    await page.getByRole('heading', { name: /^Transaction/ }).waitFor()
    await page.locator('main').getByText('success').first().waitFor()
    reached('transaction in the explorer')
    console.log(`      ${times.join(', ')}`)
  })
})
