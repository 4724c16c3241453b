import { EthereumJSError } from '@ethereumjs/util'
import { invalidBlock } from './errors.ts'

const SHOWN_CHARACTERS = 200

/** Runs part of the library. Its own errors mean that the block is invalid; any other error is a failure and passes through. */
export async function judging<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof EthereumJSError)) throw error
    throw invalidBlock((error.message.split('\n')[0] as string).slice(0, SHOWN_CHARACTERS))
  }
}
