/** Runs a program to its end. */
import { spawn } from 'node:child_process'

/** Resolves with the exit code and what it printed; rejects when it cannot be started or takes too long. */
export function runCommand(program, args, { timeoutMs = 60_000, env = process.env, echo = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-1024 * 1024)
        if (echo) process.stderr.write(text)
      })
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL')
        reject(new Error(`${program} ${args.join(' ')} did not end within ${timeoutMs / 1000} s: ${output.slice(-2000)}`))
      else resolve({ code, output })
    })
  })
}

/** The same for a program that must succeed: resolves with what it printed. */
export async function runOrThrow(program, args, options) {
  const { code, output } = await runCommand(program, args, options)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}: ${output.trim().slice(-2000)}`)
  return output.trim()
}

/** Whether a program is there and answers. */
export async function answers(program, args, options) {
  return runCommand(program, args, { timeoutMs: 20_000, ...options }).then(
    ({ code }) => code === 0,
    () => false,
  )
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Nothing will change any more: ends the waiting of `eventually`. */
export class FinalError extends Error {}

/** Polls until the probe returns something other than null; failures of the probe count as "not yet", except a FinalError. */
export async function eventually(what, probe, timeoutMs) {
  const deadline = Date.now() + timeoutMs
  let last = ''
  while (Date.now() < deadline) {
    const value = await probe().catch((error) => {
      if (error instanceof FinalError) throw error
      last = `: ${error.message}`
      return null
    })
    if (value !== null) return value
    await sleep(500)
  }
  throw new Error(`${what} did not happen within ${timeoutMs / 1000} s${last}`)
}
