const { Module } = require('@nestjs/common');
const { HttpAdapterHost } = require('@nestjs/core');
const { writeFileSync } = require('node:fs');

/** An extension that writes down every route of the relay that loads it, into the file ATTACK_ROUTES. */
class RouteListModule {
  constructor({ httpAdapter }) {
    const routes = new Set();
    httpAdapter.getInstance().addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.add(`${one} ${url}`);
      writeFileSync(process.env.ATTACK_ROUTES, JSON.stringify([...routes]));
    });
  }
}
Reflect.defineMetadata('design:paramtypes', [HttpAdapterHost], RouteListModule);
Module({ providers: [] })(RouteListModule);
module.exports = { RouteListModule };
