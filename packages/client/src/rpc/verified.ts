import { CodecError } from '@keelson/primitives'
import { ClientError } from '../client-error.ts'

/** Turns a CodecError of `parse` into a temporary ClientError `client/bad-answer`. */
export function verified<T>(host: string, parse: () => T, what?: string): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const message = `${host} gave an answer${what === undefined ? '' : ` for ${what}`} that does not verify: ${error.message}`
    throw new ClientError('client/bad-answer', 'temporary', message, { host }, { cause: error })
  }
}
