/** The pages of a network in headless Chromium, with everything noted that a page must not do. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { DEADLINE_MS, patience } from '../eventually.ts'
import type { Chromium } from './find-chromium.ts'

export interface View {
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

export const DESKTOP: View = { width: 1280, height: 900, theme: 'light' }
export const DARK: View = { ...DESKTOP, theme: 'dark' }
export const PHONE: View = { width: 390, height: 844, theme: 'light' }

export interface OpenedPages {
  /** Errors of scripts, violations of the policy, and requests to other hosts. */
  readonly offences: readonly string[]
  open(view?: View): Promise<Page>
  close(): Promise<void>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SERIOUS: ReadonlySet<string | null | undefined> = new Set(['serious', 'critical'])

export async function openPages({ command }: Chromium, url: string): Promise<OpenedPages> {
  const timeout = DEADLINE_MS * patience()
  const browser: Browser = await chromium.launch({ executablePath: command, args: ['--no-sandbox'], timeout })
  const offences: string[] = []
  return {
    offences,
    async open({ width, height, theme } = DESKTOP) {
      // Playwright's evaluation of axe is not part of the page, and its policy forbids other scripts.
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, baseURL: url, reducedMotion: 'reduce' })
      context.setDefaultTimeout(timeout)
      const page = await context.newPage()
      page.on('pageerror', (error) => offences.push(`script: ${error.message}`))
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) offences.push(message.text())
      })
      page.on('request', (request) => {
        const asked = request.url()
        if (!asked.startsWith(`${url}/`) && !asked.startsWith('data:')) offences.push(`request to ${asked}`)
      })
      return page
    },
    close: () => browser.close(),
  }
}

/** Rules of accessibility that the page breaks and that shut people out. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const violations = await page.evaluate(async () => {
    const axe = (
      globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }> } }
    ).axe
    return (await axe.run()).violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html.slice(0, 200) }))
  })
  return violations.filter(({ impact }) => SERIOUS.has(impact)).map(({ id, impact, html }) => `${impact} ${id}: ${html}`)
}
