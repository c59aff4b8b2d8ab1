import type { RequestHandler } from 'express';
import { sendProblem } from '../errors.ts';
import { ParameterError, Parameters } from './parameters.ts';

const MOST_LISTED = 10_000;
const USUALLY_LISTED = 50;

/** A GET that answers a list, by the parameters of its query; one that it cannot use is a 400 with a sentence. */
export function listing(
  known: readonly string[],
  list: (parameters: Parameters) => object,
): RequestHandler {
  return (req, res) => {
    try {
      res.json(list(new Parameters(req.originalUrl, known)));
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      const { message } = error;
      sendProblem(res, req.originalUrl, { status: 400, code: 'invalid_parameter', message });
    }
  };
}

/** How many are wanted. */
export function limitOf(parameters: Parameters): number {
  return parameters.whole('limit', 1, MOST_LISTED) ?? USUALLY_LISTED;
}
