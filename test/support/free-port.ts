import { portState } from '../../packages/runtime/src/process/port-state.ts'

/** Below the ephemeral ports, any of which another process can get before it is used here. */
const FIRST_PORT = 27_500
const PORTS = 5_000
/** Keeps processes whose ids are near each other apart. */
const STRIDE = 61
const HOST = '127.0.0.1'
let given = 0

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST_PORT + ((STRIDE * process.pid + given++) % PORTS)
    if ((await portState(HOST, port)).kind === 'free') return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`)
}
