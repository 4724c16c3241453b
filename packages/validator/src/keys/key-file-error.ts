/** What is wrong with a key or the file it stands in. The secret and the password are never part of it. */
import { ValidatorError } from '../errors.ts'

export function keyFileError(what: string, cause?: unknown): ValidatorError {
  return new ValidatorError('consensus/validator-key', 'critical', `the key file cannot be used: ${what}`, {}, { cause })
}

export function keyError(message: string, cause?: unknown): ValidatorError {
  return new ValidatorError('consensus/validator-key', 'critical', message, {}, { cause })
}
