import { messageOf } from '@keelson/primitives'
import { asCalled, createJwt, fingerprint, loadJwtSecret } from '@keelson/runtime'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'
import { type Answer, quantityOf, troubleOf } from '../probe.ts'
import { OTHER_NETWORK } from './genesis.ts'

export const jwtCheck: DoctorCheck = {
  name: 'jwt',
  async run(context) {
    const { jwtSecret } = context.settings
    if (jwtSecret === null) return skip('JWT secret', 'no file is given (--jwt-secret)')
    try {
      const { secret, warning } = await loadJwtSecret(jwtSecret)
      context.secret = secret
      const line = `${jwtSecret}, fingerprint ${fingerprint(secret)}`
      return warning === null ? ok(`${line}, for its owner only`) : warn(line, warning, 'nobody but the two clients needs it')
    } catch (error) {
      const why = messageOf(error)
      if (/^there is no JWT secret/.test(why))
        return warn('no JWT secret yet', `there is no ${jwtSecret}`, `it is made at the first start, or by "${asCalled('jwt')} FILE"`)
      return fail('the JWT secret cannot be used', why, `make a new one with "${asCalled('jwt')} FILE" and give both clients its path`)
    }
  },
}

/** The JWT uses the machine's real clock. */
async function ask(context: DoctorContext, method: string, params: readonly unknown[]): Promise<Answer> {
  const { secret, probe, settings, machine } = context
  const clock = { nowMs: () => machine.nowMs(), monotonicMs: () => machine.nowMs(), sleep: async () => undefined }
  const headers = secret === null ? {} : { authorization: `Bearer ${await createJwt(secret, clock)}` }
  return probe.call(settings.engineUrl, method, params, headers)
}

export const engineCheck: DoctorCheck = {
  name: 'engine',
  async run(context) {
    const { engineUrl, engineGiven } = context.settings
    if (context.otherNetwork && !engineGiven) {
      context.engineSilent = true
      return skip('engine API', OTHER_NETWORK)
    }
    const answer = await ask(context, 'engine_exchangeCapabilities', [[]])
    if (answer.kind === 'result') {
      const methods = Array.isArray(answer.value) ? answer.value.length : 0
      const version = await ask(context, 'web3_clientVersion', [])
      const name = version.kind === 'result' && typeof version.value === 'string' ? version.value : 'an execution client'
      return ok(`${name} at ${engineUrl} accepts the secret, ${methods} engine methods`)
    }
    context.engineSilent = true
    if (answer.kind === 'unreachable') {
      const what = `no execution client at ${engineUrl}`
      const todo = 'start it, or name another with --engine.url'
      return engineGiven ? fail(what, answer.why, todo) : warn(what, answer.why, todo)
    }
    if (answer.kind === 'http-error' && (answer.status === 401 || answer.status === 403)) return refused(context, answer.text)
    return fail(`${engineUrl} does not answer as an engine API`, troubleOf(answer), 'name the engine port (8551), not the public RPC')
  },
}

function refused({ secret, settings }: DoctorContext, why: string): Result {
  if (secret === null) return skip(`${settings.engineUrl} asks for a secret`, 'none is known here (--jwt-secret)')
  const skew = /issued/.test(why)
  const todo = skew ? 'set the clocks of both machines right' : 'start both clients with the same --jwt-secret file'
  const what = `the execution client at ${settings.engineUrl} refuses the JWT secret with fingerprint ${fingerprint(secret)}`
  return fail(what, `it says "${why.split('; ')[0]}"`, todo)
}

export const engineChainCheck: DoctorCheck = {
  name: 'engine-chain',
  async run(context) {
    const { rollup, settings } = context
    if (rollup === null || context.engineSilent)
      return skip('genesis of the execution client', 'it cannot be asked, or the network cannot be read')
    const chainId = await ask(context, 'eth_chainId', [])
    const block = await ask(context, 'eth_getBlockByNumber', [`0x${rollup.genesis.l2.number.toString(16)}`, false])
    if (chainId.kind !== 'result')
      return warn(`${settings.engineUrl} does not say which chain it is`, troubleOf(chainId), 'look at its log')
    if (block.kind !== 'result') return warn(`${settings.engineUrl} does not show its genesis`, troubleOf(block), 'look at its log')
    const todo = 'start it with the same --network and a data directory of that network'
    const id = quantityOf(chainId)
    if (id !== rollup.l2ChainId) {
      return fail(
        'the execution client is on another chain',
        `it is on chain ${id ?? 'nobody knows'}, rollup.json says ${rollup.l2ChainId}`,
        todo,
      )
    }
    const hash = (block.value as { hash?: string } | null)?.hash ?? 'none'
    if (hash !== rollup.genesis.l2.hash) {
      return fail(
        'the execution client has another genesis',
        `block ${rollup.genesis.l2.number} is ${hash}, rollup.json says ${rollup.genesis.l2.hash}`,
        todo,
      )
    }
    return ok(`chain ${rollup.l2ChainId}, the same genesis as rollup.json`)
  },
}
