import { spawn } from 'node:child_process'

/** Rejects if the program cannot be started or exceeds the deadline. */
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
        reject(new Error(`${program} ${args.join(' ')} did not exit within ${timeoutMs / 1000} s: ${output.slice(-2000)}`))
      else resolve({ code, output })
    })
  })
}

export async function runOrThrow(program, args, options) {
  const { code, output } = await runCommand(program, args, options)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with code ${code}: ${output.trim().slice(-2000)}`)
  return output.trim()
}

export async function answers(program, args, options) {
  return runCommand(program, args, { timeoutMs: 20_000, ...options }).then(
    ({ code }) => code === 0,
    () => false,
  )
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export class FinalError extends Error {}

/** A failed probe counts as null, except for FinalError. */
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
