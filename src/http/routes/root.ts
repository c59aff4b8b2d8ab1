import type { RequestHandler } from 'express';

const routes = {
  page: '/ui',
  status: '/status',
  health: '/health',
  usage: '/usage',
  callers: '/usage/callers',
  swaps: '/swaps',
  metrics: '/metrics',
  models: '/v1/models',
  chat: '/v1/chat/completions',
  oneModel: '/upstream/<model>/…',
};

/** GET /: the page for a browser, for programs the names of the routes. */
export function root(version: string): RequestHandler {
  return (req, res) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) === 'html') return res.redirect('/ui');
    res.json({ name: 'jano', version, routes });
  };
}
