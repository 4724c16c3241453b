/** A faucet that asks for a captcha, the service that verifies its tokens, and pages with its widget. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { DevnetProcess } from './devnet-process.ts'
import { eventually } from './eventually.ts'
import { startKeelson } from './keelson-process.ts'

export const SITE_KEY = 'site-key-of-a-test'
const SECRET = 'secret-of-a-test'
const HOST = '127.0.0.1'

export interface CaptchaFaucet {
  readonly url: string
  /** Tokens that the faucet sent to be verified. */
  readonly verified: readonly (string | null)[]
  stop(): Promise<void>
}

/** Uses five ports from `firstPort` on. Only `goodToken` passes. */
export async function startCaptchaFaucet(devnet: DevnetProcess, firstPort: number, goodToken: string): Promise<CaptchaFaucet> {
  const { facts, folder } = devnet
  const [web, webMetrics, faucet, faucetMetrics, verifier] = [0, 1, 2, 3, 4].map((i) => firstPort + i)
  const verified: (string | null)[] = []
  const service = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    verified.push(form.get('response'))
    const success = form.get('secret') === SECRET && form.get('response') === goodToken
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ success, 'error-codes': success ? [] : ['invalid-input-response'] }))
  })
  service.listen(verifier, HOST)
  await once(service, 'listening')
  const common = [`--network=${facts.networkDir}`, `--l2.rpc=${facts.l2.rpcUrl}`, `--http.host=${HOST}`]
  const paying = startKeelson(
    [
      ...['faucet', 'serve', ...common, `--http.port=${faucet}`, `--metrics.port=${faucetMetrics}`],
      ...[`--data-dir=${join(folder, 'captcha-faucet')}`, `--http.trusted-proxies=${HOST}`, `--public-url=http://${HOST}:${faucet}`],
      ...['--captcha.provider=turnstile', `--captcha.url=http://${HOST}:${verifier}`],
    ],
    { env: { KEELSON_PRIVATE_KEY: facts.accounts[6]?.privateKey ?? '', KEELSON_CAPTCHA_SECRET: SECRET } },
  )
  const pages = startKeelson([
    ...['web', ...common, `--http.port=${web}`, `--metrics.port=${webMetrics}`, `--faucet.url=http://${HOST}:${faucet}`],
    ...['--captcha.provider=turnstile', `--captcha.site-key=${SITE_KEY}`],
  ])
  const url = `http://${HOST}:${web}`
  const stop = async () => {
    await Promise.all([paying.stop(), pages.stop()])
    service.close()
  }
  try {
    await eventually('pages before a faucet with a captcha', async () => (await fetch(`${url}/api/faucet/health`)).ok)
  } catch (error) {
    await stop()
    throw new Error(`${paying.output()}${pages.output()}`, { cause: error })
  }
  return { url, verified, stop }
}
