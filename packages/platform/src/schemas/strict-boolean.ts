/** A boolean that decides whether money moves must be a JSON boolean, not text or a number. */
import { z } from 'zod'

/** Validation recognizes strict booleans by this message, and does not convert other values for them. */
export const STRICT_BOOLEAN = 'expected true or false, as a JSON boolean'

export const StrictBoolean = z.boolean({ error: STRICT_BOOLEAN })
