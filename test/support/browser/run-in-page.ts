/** Uses headless Chromium or, without it, a context that has nothing of Node.js. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import type { PageAnswer } from './block-page.ts'
import { findChromium } from './find-chromium.ts'

export interface PageRunner {
  readonly place: string
  execute(script: string, vector: string): Promise<PageAnswer>
}

const PAGE_LIMIT_MS = 120_000
const PAGE = `<!doctype html><meta charset="utf-8"><title>block</title><script>
const send = (body) => fetch('/answer', { method: 'POST', body })
const fail = (error) => send(JSON.stringify({ blockHash: null, stateRoot: null, error: String(error) }))
addEventListener('error', (event) => fail(event.message))
</script><script src="/page.js"></script><script>
fetch('/vector').then((response) => response.text()).then((vector) => executeVector(vector)).then(send, fail)
</script>`

export function choosePageRunner(): PageRunner {
  const chromium = findChromium()
  if (chromium === null) return { place: 'a bare context of Node.js, because no Chromium is installed', execute: executeInContext }
  return { place: `headless ${chromium.version}`, execute: (script, vector) => executeInChromium(chromium.command, script, vector) }
}

export async function executeInContext(script: string, vector: string): Promise<PageAnswer> {
  const context = createContext({ TextEncoder, TextDecoder, atob, vector })
  runInContext(script, context)
  return JSON.parse(await runInContext('executeVector(vector)', context)) as PageAnswer
}

async function executeInChromium(command: string, script: string, vector: string): Promise<PageAnswer> {
  const page = await servePage(script, vector)
  const profile = mkdtempSync(join(tmpdir(), 'keelson-page-'))
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  const child = spawn(command, [...flags, `--user-data-dir=${profile}`, page.url], { stdio: 'ignore', detached: true })
  const exit = once(child, 'exit')
  try {
    const ended = exit.then(() => Promise.reject(new Error(`${command} ended before the page answered`)))
    return await Promise.race([page.answer, ended])
  } finally {
    // Includes the renderer processes.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await exit
    page.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function servePage(script: string, vector: string): Promise<{ url: string; answer: Promise<PageAnswer>; close(): void }> {
  const server: Server = createServer()
  const answer = new Promise<PageAnswer>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`the page did not answer in ${PAGE_LIMIT_MS / 1000} s`)), PAGE_LIMIT_MS)
    server.on('close', () => clearTimeout(limit))
    server.on('request', (request, response) => {
      if (request.url === '/answer') readBody(request).then((body) => resolve(JSON.parse(body) as PageAnswer), reject)
      const body = { '/': PAGE, '/page.js': script, '/vector': vector }[request.url ?? '']
      response.setHeader('content-type', request.url === '/' ? 'text/html' : request.url === '/page.js' ? 'text/javascript' : 'text/plain')
      response.end(body ?? '')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, answer, close }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
