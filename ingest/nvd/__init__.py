"""NVD: vulnerabilities with their scores and the products that they are in."""
